package pi

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadBranchFollowsTheTreeToItsLastLine(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"straight":  {[]string{"a<", "b<a", "c<b"}, "a b c"},
		"left":      {[]string{"a<", "b<a", "c<b", "d<a", "e<d"}, "a d e"},
		"damaged":   {[]string{"a<", "!", "b<a"}, "a b"},
		"circle":    {[]string{"a<b", "b<a"}, "a b"},
		"itself":    {[]string{"a<a"}, "a"},
		"two roots": {[]string{"a<", "b<a", "c<"}, "c"},
		"nothing":   {nil, ""},
	} {
		text := `{"type":"session","id":"s"}` + "\n"
		for _, l := range c.lines {
			id, parent, ok := strings.Cut(l, "<")
			switch {
			case !ok:
				text += "{\n"
			case parent == "":
				text += fmt.Sprintf(`{"type":"message","id":%q,"parentId":null}`+"\n", id)
			default:
				text += fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q}`+"\n", id, parent)
			}
		}
		var got []string
		for _, l := range readBranch([]byte(text)) {
			got = append(got, l.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, not %s", name, got, c.want)
		}
	}
}

func TestKeysAreWhatAModelIsSent(t *testing.T) {
	const plain = `{"role":"assistant","content":[{"type":"text","text":"Yes."},{"type":"toolCall","id":"c","name":"read","arguments":{"a":1,"b":"x"}}]}`
	want, ok := keyOf([]byte(plain))
	if !ok {
		t.Fatal("not a message")
	}
	for name, c := range map[string]struct {
		raw         string
		same, valid bool
	}{
		"with what pi keeps beside it": {`{"role":"assistant","content":[{"type":"text","text":"Yes.","textSignature":"m1"},{"type":"toolCall","id":"c","name":"read","arguments":{"b":"x","a":1}}],"usage":{"input":3},"stopReason":"toolUse","timestamp":5}`, true, true},
		"another text":                 {strings.Replace(plain, "Yes", "No", 1), false, true},
		"another argument":             {strings.Replace(plain, `"a":1`, `"a":2`, 1), false, true},
		"thinking":                     {strings.Replace(plain, `[`, `[{"type":"thinking","thinking":"So.","thinkingSignature":"s"},`, 1), false, true},
		"failed":                       {strings.Replace(plain, `{`, `{"stopReason":"error",`, 1), false, false},
		"broken off":                   {strings.Replace(plain, `{`, `{"stopReason":"aborted",`, 1), false, false},
		"system":                       {`{"role":"system","content":""}`, false, false},
		"not a list":                   {`{"role":"user","content":3}`, false, false},
		"not JSON":                     {`{`, false, false},
	} {
		got, ok := keyOf([]byte(c.raw))
		if ok != c.valid || (got == want) != c.same {
			t.Errorf("%s: %v %s", name, ok, got)
		}
	}
	a, _ := keyOf([]byte(`{"role":"user","content":"Hi"}`))
	b, _ := keyOf([]byte(`{"role":"user","content":[{"type":"text","text":"Hi"}]}`))
	if a == "" || a != b {
		t.Errorf("%s is not %s", a, b)
	}
	ok1, _ := keyOf([]byte(`{"role":"toolResult","toolCallId":"c","content":[],"isError":false}`))
	ok2, _ := keyOf([]byte(`{"role":"toolResult","toolCallId":"c","content":[],"isError":true}`))
	if ok1 == ok2 {
		t.Error("an error is as good as a success")
	}
}

// Thinking is bound to what was sent before it, which is about to change; that of
// OpenAI and Google is not.
func TestB1TheViewHoldsNoBoundThinking(t *testing.T) {
	const (
		think   = `{"type":"thinking","thinking":"So.","thinkingSignature":"s"}`
		unbound = `{"type":"thinking","thinking":"So."}`
		text    = `{"type":"text","text":"Yes."}`
	)
	say := func(api string, blocks ...string) string {
		return fmt.Sprintf(`{"role":"assistant","api":%q,"content":[%s],"model":"m"}`, api, strings.Join(blocks, ","))
	}
	for name, c := range map[string]struct{ raw, want string }{
		"signed":         {say("anthropic-messages", think, text), say("anthropic-messages", text)},
		"through others": {say("bedrock-converse-stream", think, text), say("bedrock-converse-stream", text)},
		"nothing else":   {say("anthropic-messages", think), ""},
		"unsigned":       {say("anthropic-messages", unbound, text), say("anthropic-messages", unbound, text)},
		"OpenAI":         {say("openai-responses", think, text), say("openai-responses", think, text)},
		"Google":         {say("google-generative-ai", think, text), say("google-generative-ai", think, text)},
	} {
		if got := withoutBound([]byte(c.raw)); string(got) != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
