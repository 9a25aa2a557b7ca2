package keeper_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/internal/proxy"
	"tenfold/internal/proxy/keeper"
	"tenfold/internal/proxy/wire"
)

// A request of a session, with tools or without.
func ask(p *place, session string, tools bool, messages ...string) proxy.Exchange {
	offered := ""
	if tools {
		offered = `"tools":[{"name":"Read","input_schema":{"type":"object"}}],`
	}
	return p.k.Take(context.Background(), proxy.Incoming{
		Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: "/v1/messages", Header: http.Header{"X-Session-Id": {session}},
		Body: []byte(`{"model":"m","max_tokens":10,` + offered + `"messages":[` + strings.Join(messages, ",") + `]}`),
	})
}

func answers(ex proxy.Exchange, text string) {
	if l := ex.Heard(); l != nil {
		_, _ = l.Write([]byte(`{"id":"a","type":"message","role":"assistant","model":"of-` + text + `","content":[` + said(text) + `],"stop_reason":"end_turn","usage":{"input_tokens":40,"output_tokens":4}}`))
	}
	ex.Done(200, false)
}

func person(text string) string { return `{"role":"user","content":[` + said(text) + `]}` }

// X2: a title that a client asks for beside its conversation, first or later, is not a
// conversation of its own: it stands on a branch of that, with what it cost.
func TestX2TitlesStandBesideTheirConversation(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"first", "first, and answered last", "later", "much later", "as it ends"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if order != "as it ends" {
				p.idle = 20 * time.Millisecond
				p.restart()
			}
			main := func() proxy.Exchange { return ask(p, "s", true, person("Do it, please.")) }
			title := func() proxy.Exchange { return ask(p, "s", false, person("Generate a title: Do it, please.")) }
			switch order {
			case "first", "as it ends":
				one, other := title(), main()
				answers(one, "title")
				answers(other, "done")
			case "first, and answered last":
				one, other := title(), main()
				answers(other, "done")
				answers(one, "title")
			case "later":
				answers(main(), "done")
				answers(title(), "title")
			case "much later":
				answers(main(), "done")
				keeper.Rest(p.k, true)
				answers(title(), "title")
			}
			for range 20_000 {
				if keeper.Rest(p.k, false); order == "as it ends" || len(p.conversations()) > 0 && len(p.k.Status()) == 1 {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			p.close()
			if st := p.k.Status(); len(st) != 1 {
				t.Errorf("the status lists %d conversations", len(st))
			}
			s := p.only(t)
			if said := strings.Join(texts(s, true), "; "); said != "Do it, please.; done" {
				t.Errorf("the view says %q", said)
			}
			var beside, models []string
			for e := range s.Log().Entries() {
				if e.Branch == "" {
					continue
				}
				switch m := e.Payload.(type) {
				case tenfold.UserMessage:
					beside = append(beside, m.Parts[0].Text)
				case tenfold.AssistantMessage:
					beside = append(beside, m.Text)
				case tenfold.Usage:
					models = append(models, m.Model)
				}
			}
			if strings.Join(beside, "; ") != "Generate a title: Do it, please.; title" || strings.Join(models, ";") != "of-title" {
				t.Errorf("beside it stand %q of %q", beside, models)
			}
			if f := p.failures(); len(f) > 0 {
				t.Errorf("failures: %q", f)
			}
		})
	}
}

// What an answer beside a conversation cost is what its own model takes: where the answer does not
// name it, the request does.
func TestX2TitlesCostWhatTheirModelTakes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	answers(ask(p, "s", true, person("Do it, please.")), "done")
	title := p.k.Take(t.Context(), proxy.Incoming{
		Protocol: wire.Anthropic{}, Kind: wire.Generate, Path: "/v1/messages", Header: http.Header{"X-Session-Id": {"s"}},
		Body: []byte(`{"model":"small","max_tokens":10,"messages":[` + person("Generate a title: Do it, please.") + `]}`),
	})
	_, _ = title.Heard().Write([]byte(`{"id":"a","type":"message","role":"assistant","content":[` + said("title") + `],"stop_reason":"end_turn","usage":{"input_tokens":40,"output_tokens":4}}`))
	title.Done(200, false)
	p.close()
	for e := range p.only(t).Log().Entries() {
		if u, ok := e.Payload.(tenfold.Usage); ok && e.Branch != "" && u.Model != "small" {
			t.Errorf("the title was paid for as one of %q", u.Model)
		}
	}
}

// X2: who offers no tools is not beside what there is not: such a conversation is one, and
// stays one as it goes on; so does one of another session.
func TestX2ConversationsWithoutToolsAreTheirOwn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	one := []string{person("What is it?")}
	answers(ask(p, "s", false, one...), "this")
	keeper.Rest(p.k, true)
	one = append(one, `{"role":"assistant","content":[`+said("this")+`]}`, person("And that?"))
	answers(ask(p, "s", true, person("Do it.")), "done")
	answers(ask(p, "s", false, one...), "that")
	answers(ask(p, "other", false, person("What is it?")), "this")
	p.close()
	if n := len(p.conversations()); n != 3 {
		t.Errorf("%d conversations", n)
	}
}
