package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"tenfold"
	"tenfold/body"
	"tenfold/internal/web/held"
	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/provider"
	"tenfold/token"
)

func (s *Server) declareView() {
	declare(s, operation(http.MethodGet, "view", "/conversations/{id}/view", "What a model sees, for one provider"), s.view)
}

type viewOf struct {
	InConversation
	Provider string `query:"provider" default:"anthropic" doc:"as meta lists them"`
	From     int    `query:"from" minimum:"0" default:"0" doc:"index of the first item"`
	Limit    int    `query:"limit" minimum:"0" maximum:"5000" default:"500" doc:"0 for the columns alone"`
	Whole    bool   `query:"body" doc:"include the body of the request, which is as large as the whole view"`
}

// shownLength is how much of an item's text a view gives, in characters.
const shownLength = 20_000

func (s *Server) view(ctx context.Context, in *viewOf) (out shape.View, err error) {
	profile, err := profileOf(in.Provider)
	if err != nil {
		return out, err
	}
	var p *tenfold.Projection
	var known look.Judgement
	err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
		p = o.Session.Projection().Snapshot() // the rest takes as long as the view is
		scale := o.Figures()
		o.Epochs.Read(o.Session.Log(), scale)
		out = shape.View{Provider: profile.Name, Version: p.Version(), From: in.From, Tokens: scale.Tokens(p.Tokens()), Epochs: slices.Clone(o.Epochs.List)}
		out.Config = scale.Tokens(p.Totals().Config.After + p.Log().Counter().Count(p.Continuation()))
		known = o.Judged[profile.Name]
		return nil
	})
	if err != nil {
		return out, err
	}
	scale := token.Calibrate(p.Log())
	items := p.List()
	out.Total = len(items)
	setColumns(&out, items, scale)
	page := items[min(in.From, len(items)):]
	for _, it := range page[:min(in.Limit, len(page))] {
		out.Items = append(out.Items, itemOf(it, scale))
	}
	fresh := known.Version != p.Version() || known.Version == 0
	if fresh || in.Whole {
		sent, err := profile.Write(p)
		if err != nil {
			return out, err
		}
		if in.Whole {
			out.Body = string(sent)
		}
		if fresh {
			known = judge(p, profile, sent, items)
			err = s.sessions.With(ctx, in.ID, func(o *held.Conversation) error {
				if o.Judged == nil {
					o.Judged = map[string]look.Judgement{}
				}
				o.Judged[profile.Name] = known
				return nil
			})
		}
		if err != nil {
			return out, err
		}
	}
	out.Problems, out.Cached, out.Warm = known.Problems, known.Cached, known.Warm
	return out, nil
}

func judge(p *tenfold.Projection, profile body.Profile, sent []byte, items []tenfold.Item) look.Judgement {
	j := look.Judgement{Version: p.Version()}
	j.Cached, j.Warm = cached(p, items)
	for _, v := range profile.Check(sent) {
		j.Problems = append(j.Problems, v.String())
	}
	return j
}

// setColumns fills in what the view says of all its items.
func setColumns(v *shape.View, items []tenfold.Item, scale token.Scale) {
	known := look.Places{}
	v.Kind, v.Sizes = make([]int, len(items)), make([]int, len(items))
	for i, it := range items {
		kind := string(it.Payload.Kind())
		if it.Added != 0 {
			kind = "added"
		}
		v.Kind[i], v.Sizes[i] = known.Of(kind, &v.Kinds), scale.Tokens(it.Tokens)
	}
}

func profileOf(name string) (body.Profile, error) {
	names := ""
	for _, p := range body.Profiles() {
		if p.Name == name {
			return p, nil
		}
		if names += p.Name + ", "; p.Provider == name {
			return p, nil
		}
	}
	return body.Profile{}, shape.Refused("unknown provider "+strconv.Quote(name), "choose one of "+names[:len(names)-2])
}

func itemOf(it tenfold.Item, scale token.Scale) shape.ViewItem {
	out := shape.ViewItem{
		Seq: it.Seq, Kind: string(it.Payload.Kind()), Turn: it.Turn, Step: it.Step, Added: it.Added.String(), Fate: it.Fate.String(), By: it.By,
		Tokens: scale.Tokens(it.Tokens),
	}
	if m, ok := it.Payload.(tenfold.UserMessage); ok && it.Noted {
		out.Note = utf8.RuneCountInString(m.Parts[0].Text)
	}
	text := look.Text(it.Payload)
	limit := shownLength
	if it.Seq == 0 {
		limit = len(text)
	}
	out.Text, out.Length = look.Window(text, 0, limit)
	return out
}

// cached is how many items from the start were in the last request that the model
// answered, and until when the provider keeps them where its rules are known.
func cached(p *tenfold.Projection, items []tenfold.Item) (n int, warm time.Time) {
	request, at := lastRequest(p)
	if request == 0 {
		return 0, warm
	}
	if rule, ok := provider.CacheRuleOf(p.Config().Model); ok && !at.IsZero() {
		warm = at.Add(rule.Lifetime).UTC()
	}
	// What the request showed is what the log showed then.
	was := tenfold.Project(p.Log().At(request))
	if was.Config().System != p.Config().System || !slices.Equal(was.Config().Tools, p.Config().Tools) {
		return 0, warm // they come before everything
	}
	for it := range was.Items() {
		if n == len(items) || !sameItem(it, items[n]) {
			break
		}
		n++
	}
	return n, warm
}

func sameItem(x, y tenfold.Item) bool {
	return x.ID == y.ID && x.Fate == y.Fate && x.By == y.By && x.Tokens == y.Tokens && x.Noted == y.Noted
}

// lastRequest is the seq of the last entry that was sent in a request which the
// model answered, and when it did; 0 where it never did.
func lastRequest(p *tenfold.Projection) (seq int64, at time.Time) {
	l := p.Log()
	answered := false
	for seq = p.Version(); seq > 0; seq-- {
		if !p.Reads(seq) {
			continue
		}
		e, _ := l.Entry(seq)
		switch e.Payload.(type) {
		case tenfold.AssistantMessage, tenfold.Reasoning, tenfold.ToolCall, tenfold.ProviderItem, tenfold.Usage:
			if !answered {
				answered, at = true, e.Time
			}
		default:
			if answered {
				return seq, at
			}
		}
	}
	return 0, at
}
