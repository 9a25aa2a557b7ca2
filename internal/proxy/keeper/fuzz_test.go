package keeper_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
)

// Whatever clients and vendors say: nothing panics, no byte is changed before an epoch
// begins, and a request that its vendor takes is one that it takes after us (X2, X3).
func FuzzKeeper(f *testing.F) {
	names := make([]string, 0, len(dialects))
	for name := range dialects {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		d := dialects[name]
		for _, text := range []string{"Look at it.", "", " \u2003", strings.Repeat("a long line that nobody needs\n", 200)} {
			f.Add(byte(i), d.user(text), d.call(1), d.result(1, text), d.response(d.said(1), 900, 100), d.said(1), uint16(200))
		}
		f.Add(byte(i), d.user("a"), d.said(1), d.user("b"), "event: error\ndata: {}\n\n", d.result(1, "x"), uint16(529))
		f.Add(byte(i), `{"role":"user"}`, `null`, `[`, "", `{"role":"assistant","content":[]}`, uint16(400))
	}
	f.Fuzz(func(t *testing.T, which byte, user, call, result, answer, said string, status uint16) {
		d := dialects[names[int(which)%len(names)]]
		p := newPlace(t)
		p.dir = t.TempDir()
		p.live.Request.Options.Window = 900
		p.live.Request.Bounds.Tail.Tokens = 20
		p.restart()
		defer p.close()
		var messages []string
		for turn := range 6 {
			for _, message := range []string{user, call, result, said} {
				if messages = append(messages, message); message == call {
					continue
				}
				body := fmt.Appendf(nil, d.request, strings.Join(messages, ","))
				ex := p.k.Take(context.Background(), proxy.Incoming{
					Protocol: d.protocol, Kind: wire.Generate, Path: d.path, Client: d.client, Dir: "/w",
					Header: http.Header{"Session-Id": {"s"}, "X-Claude-Code-Session-Id": {"s"}, "Authorization": {"Bearer x"}}, Body: slices.Clone(body),
				})
				if ex.Answer() != nil {
					ex.Done(200, false)
					continue
				}
				sent, epochs := ex.Body(), 0
				for _, c := range p.k.Status() {
					epochs += c.Epochs
				}
				if epochs == 0 && !bytes.Equal(sent, body) {
					t.Fatalf("turn %d: without an epoch %s is sent for %s", turn, sent, body)
				}
				if len(d.check(body)) == 0 {
					if wrong := d.check(sent); len(wrong) > 0 {
						t.Fatalf("turn %d: the vendor refuses %s: %v\nthe client sent %s", turn, sent, wrong, body)
					}
				}
				if l := ex.Heard(); l != nil {
					half := len(answer) / 2
					_, _ = l.Write([]byte(answer[:half]))
					_, _ = l.Write([]byte(answer[half:]))
				}
				ex.Done(int(status), false)
				keeper.Rest(p.k, turn%2 == 0)
			}
			p.pass(time.Duration(turn) * time.Minute)
		}
		for _, why := range p.failures() {
			if strings.Contains(why, "internal error") {
				t.Fatal(why)
			}
		}
	})
}
