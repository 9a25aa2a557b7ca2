package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/internal/listing"
	"tenfold/internal/report"
	"tenfold/internal/web/held"
	"tenfold/internal/web/shape"
)

func (s *Server) declareMoney() {
	declare(s, operation(http.MethodGet, "money", "/conversations/{id}/money", "What a conversation cost, and what compactions saved"), s.money)
	declare(s, operation(http.MethodGet, "spending", "/money", "What the requests of all conversations cost, in groups"), s.spending)
}

type moneyOf struct {
	InConversation
	Ours bool `query:"ours" doc:"also replay what the configured strategies would have saved: may take seconds"`
}

// money is "tenfold conversation show --money". What is replayed is the log as it
// is now; the conversation goes on meanwhile.
func (s *Server) money(ctx context.Context, in *moneyOf) (report.Money, error) {
	var now *tenfold.Projection
	var o replay.Options
	var names []string
	err := s.sessions.With(ctx, in.ID, func(open *held.Conversation) (err error) {
		now = open.Session.Projection().Snapshot()
		if in.Ours {
			o, names, err = s.backend.Replay(open.Session)
		}
		return err
	})
	if err != nil {
		return report.Money{}, err
	}
	m, err := report.MoneyOf(ctx, now.Log(), o, names...)
	m = cmp.Or(m, &report.Money{})
	return *m, err
}

type spendingBy struct {
	By    string `query:"by" enum:"day,project,model,conversation" default:"day"`
	Since string `query:"since" doc:"only requests after this: a day, a time, or how long ago (2d)"`
	Until string `query:"until" doc:"only requests before this; a day is included"`
	Zone  string `query:"zone" maxLength:"100" doc:"the time zone of days, as Europe/Berlin; empty: the server's"`
}

// spending adds up what is known, and has the rest read.
func (s *Server) spending(ctx context.Context, in *spendingBy) (out shape.Spendings, err error) {
	zone := time.Local
	if in.Zone != "" {
		if zone, err = time.LoadLocation(in.Zone); err != nil {
			return out, shape.Refused("unknown time zone "+in.Zone, "write it as Europe/Berlin, or UTC")
		}
	}
	from, to := time.Time{}, time.Unix(1<<40, 0)
	if in.Since != "" {
		m, err := listing.ParseMoment(in.Since)
		if err != nil {
			return out, err
		}
		from = m.At(time.Now())
	}
	if in.Until != "" {
		m, err := listing.ParseMoment(in.Until)
		if err != nil {
			return out, err
		}
		to = m.End(time.Now())
	}
	groups := map[string]*shape.Spending{}
	all, _, err := s.census.list(ctx)
	if err != nil {
		return out, err
	}
	for _, c := range all {
		out.Of++
		s.accounts.mu.Lock()
		one := s.accounts.of[c.ID]
		s.accounts.mu.Unlock()
		if !one.current(c) {
			out.Reading++
		}
		if one == nil {
			continue
		}
		group := func(at time.Time, model string) *shape.Spending {
			var key, title string
			switch in.By {
			case "project":
				key = c.Origin.Directory
			case "model":
				key = model
			case "conversation":
				key, title = c.ID, c.Title
			default:
				key = at.In(zone).Format(time.DateOnly)
			}
			g := groups[key]
			if g == nil {
				g = &shape.Spending{Key: key, Title: title}
				groups[key] = g
			}
			return g
		}
		for at, sum := range one.spent {
			// Where it is told by conversation each has what its log says.
			when := time.Unix(0, at.quarter*int64(quarter))
			if when.Before(from) || !when.Before(to) || at.copied && in.By != "conversation" {
				continue
			}
			sum.addTo(group(when, at.model))
			if !at.copied {
				sum.addTo(&out.Total)
			}
		}
		if one.net != 0 && !one.last.Before(from) && one.last.Before(to) {
			group(one.last, one.model).Saved += one.net
			out.Total.Saved += one.net
		}
	}
	if out.Reading > 0 {
		s.accounts.readChanged()
	}
	for _, g := range groups {
		g.Round()
		out.Items = append(out.Items, *g)
	}
	out.Total.Round()
	slices.SortFunc(out.Items, func(x, y shape.Spending) int {
		if in.By == "day" {
			return cmp.Compare(x.Key, y.Key)
		}
		return cmp.Or(cmp.Compare(y.Dollars, x.Dollars), cmp.Compare(y.Responses, x.Responses), cmp.Compare(x.Key, y.Key))
	})
	return out, nil
}

func (s *spent) addTo(g *shape.Spending) {
	g.Responses += s.responses
	g.Priced += s.priced
	g.Dollars += s.dollars
	g.Input += s.input
	g.CacheRead += s.cacheRead
	g.CacheWrite += s.cacheWrite
	g.Output += s.output
}
