package keeper_test

import (
	"testing"
	"time"

	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
)

// V2: how long the vendor's cache lives is what the client asks of it, by a mark that is new or
// beside the messages, or for the whole request.
func TestV2LifetimesThatClientsAskFor(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]time.Duration{
		`{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"role":"user","content":"hi"}]}`:                                    time.Hour,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}]},{"role":"assistant","content":"x"}]}`:               0, // of a message that was seen
		`{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`:              time.Hour,
		`{"messages":[{"role":"user","content":"\"prompt_cache_retention\":\"24h\""},{"role":"assistant","content":"\"ttl\":\"1h\""}]}`:                                          0,
		`{"prompt_cache_retention":"24h","messages":[{"role":"user","content":"hi"}]}`:                                                                                           24 * time.Hour,
		`{"messages":[{"role":"user","content":"hi"}],"prompt_cache_options":{"ttl":"30m"}}`:                                                                                     0, // as without
		`{"messages":[{"role":"user","content":"hi"}],"prompt_cache_options":{"ttl":"12h"}}`:                                                                                     12 * time.Hour,
		`{"messages":[{"role":"user","content":"hi"}],"prompt_cache_retention":"in_memory","tools":[{"cache_control":{"type":"ephemeral","ttl":"1h"}}],"metadata":{"ttl":"1d"}}`: time.Hour,
	} {
		r, err := wire.Anthropic{}.Scan("/v1/messages", []byte(raw), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := keeper.KeptFor(r, 1); got != want {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
}
