package eval

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/session"
	"tenfold/transcript"
)

// A LiveWay is a way to compact conversations while they run.
type LiveWay struct {
	Name string
	Live session.Live
}

// LiveWays are the parts of a policy, each with those before it: compacting when
// the context is full, when the cache is cold, and clearing old results once that is
// paid for. The last clears them at once.
func LiveWays(all session.Live) []LiveWay {
	full, cold, eager := all, all, all
	full.Micro.Enabled, cold.Micro.Enabled = false, false
	full.Lifetime = forever
	eager.Micro.Stake = everything
	return []LiveWay{{"when full", full}, {"when full or cold", cold}, {"and clearing, once paid for", all}, {"and clearing, at once", eager}}
}

const (
	forever = 100 * 365 * 24 * time.Hour
	// everything is a stake that no conversation reaches.
	everything = 1e9
)

// LivePriced is what a session costs in one way.
type LivePriced struct {
	Way string
	// Hour tells that the client is taken to ask its provider to keep prompts for
	// an hour.
	Hour bool
	// StandIn tells that the session's own model has no price, and Result.Model is
	// one that its client is used with.
	StandIn bool
	Result  replay.LiveResult
}

// standIn is a model that the clients of a format are used with.
func standIn(f transcript.Format) string {
	switch f {
	case "codex":
		return "gpt-5.1"
	case "gemini-cli":
		return "gemini-2.5-pro"
	}
	return "claude-sonnet-4-5"
}

// priceLive replays a conversation in all ways.
func priceLive(ctx context.Context, l *tenfold.Log, f transcript.Format, o Options) ([]LivePriced, error) {
	var out []LivePriced
	models := o.Models
	if len(models) == 0 {
		models = []string{""}
	}
	for _, model := range models {
		for _, way := range o.Live {
			for _, lifetime := range []time.Duration{0, time.Hour} {
				p := LivePriced{Way: way.Name, Hour: lifetime > 0}
				options := replay.LiveOptions{Live: way.Live, Model: model, Prices: o.Prices, Lifetime: lifetime}
				var err error
				if p.Result, err = replay.Live(ctx, l, options); errors.Is(err, replay.ErrNoPrice) {
					p.StandIn, options.Model = true, standIn(f)
					p.Result, err = replay.Live(ctx, l, options)
				}
				if err != nil {
					return nil, fmt.Errorf("replay %q: %w", way.Name, err)
				}
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// LiveSpending is what sessions cost in one way, together.
type LiveSpending struct {
	Way string `json:"way"`
	// Provider is whose prices the sessions have; "all" for any.
	Provider string `json:"provider"`
	Hour     bool   `json:"hour"`
	Sessions int    `json:"sessions"`
	// Without is as the clients did, With through us, in US dollars.
	Without float64 `json:"without"`
	With    float64 `json:"with"`
	// Dearer counts the sessions that cost more through us; Worst is by which share
	// the worst of them did.
	Dearer int     `json:"dearer"`
	Worst  float64 `json:"worst"`
	// Cold, Full, Cleared and Asked are as in [LiveResult].
	Cold    int `json:"cold"`
	Full    int `json:"full"`
	Cleared int `json:"cleared"`
	Asked   int `json:"asked"`
	StandIn int `json:"stand_in"`
}

// penny is how much may be the rounding of sums, in dollars.
const penny = 1e-9

func (s *LiveSpending) add(p LivePriced) {
	r := p.Result
	s.Sessions++
	s.Without += r.Without.Dollars
	s.With += r.With.Dollars
	if more := -r.Saved(); more > penny {
		s.Dearer++
		s.Worst = max(s.Worst, more/r.Without.Dollars)
	}
	s.Cold += r.Cold
	s.Full += r.Full
	s.Cleared += r.Cleared
	s.Asked += r.Asked
	if p.StandIn {
		s.StandIn++
	}
}

// providerOf is whose a model is, for the prices that are known.
func providerOf(model string) string {
	name := model[strings.LastIndexByte(model, '/')+1:]
	switch {
	case strings.HasPrefix(name, "claude"):
		return "Anthropic"
	case strings.HasPrefix(name, "gemini"):
		return "Google"
	case strings.HasPrefix(name, "gpt"), strings.HasPrefix(name, "o1"), strings.HasPrefix(name, "o3"), strings.HasPrefix(name, "o4"):
		return "OpenAI"
	}
	return "others"
}

// liveSpending adds up the sessions by way, lifetime and provider; all providers
// come first.
func (r *Result) liveSpending() []LiveSpending {
	var list []LiveSpending
	at := map[LiveSpending]int{}
	add := func(key LiveSpending, p LivePriced) {
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			list = append(list, key)
		}
		list[i].add(p)
	}
	for _, provider := range []string{allProviders, "Anthropic", "OpenAI", "Google", "others"} {
		for i := range r.Sessions {
			for _, p := range r.Sessions[i].Live {
				if whose := providerOf(p.Result.Model); provider == allProviders || whose == provider {
					add(LiveSpending{Way: p.Way, Hour: p.Hour, Provider: provider}, p)
				}
			}
		}
	}
	return list
}

const allProviders = "all"

// liveTables writes what live conversations cost, over all and by provider.
func (r *Result) liveTables(s Summary) []Table {
	if len(s.Live) == 0 {
		return nil
	}
	find := func(way, provider string, hour bool) (LiveSpending, bool) {
		for _, one := range s.Live {
			if one.Way == way && one.Provider == provider && one.Hour == hour {
				return one, true
			}
		}
		return LiveSpending{}, false
	}
	all := s.Live[0]
	about := fmt.Sprintf("US dollars for the input of all requests of %s, with prompt caching, as their clients compacted them and through us; "+
		"dearer: sessions that cost more through us, and by how much the worst. The last columns count compactions: of a full context, of a cold cache, of old results alone, and those that a client asked for.",
		counted(all.Sessions, "session"))
	if all.StandIn > 0 {
		about += fmt.Sprintf(" Of %s the model's price is not known, and that of one that the client is used with is taken.", counted(all.StandIn, "session"))
	}
	sum := Table{Title: "What live conversations cost", About: about, Columns: []string{"dollars", "change", "dearer", "worst", "full", "cold", "cleared", "asked"}}
	by := Table{
		Title:   "Change by provider",
		About:   "At the price of each session's own model. In parentheses, how many sessions cost more. The last lines are those of prompts that are kept for an hour, which Anthropic does for clients that ask for it, at twice the price of input.",
		Columns: []string{allProviders, "Anthropic", "OpenAI", "Google"},
	}
	line := func(name, way string, hour bool, cell func(LiveSpending) string) {
		row := TableRow{Name: name}
		for _, provider := range by.Columns {
			text := missing
			if one, ok := find(way, provider, hour); ok {
				text = cell(one)
			}
			row.Cells = append(row.Cells, text)
		}
		by.Rows = append(by.Rows, row)
	}
	dollars := func(s LiveSpending) string { return fmt.Sprintf("%.2f", s.Without) }
	sum.Rows = append(sum.Rows, TableRow{"without us", append([]string{dollars(all)}, make([]string, len(sum.Columns)-1)...)})
	line("sessions", all.Way, false, func(s LiveSpending) string { return strconv.Itoa(s.Sessions) })
	for _, hour := range []bool{false, true} {
		kept := ""
		if hour {
			kept = ", kept an hour"
		}
		line("without us"+kept, all.Way, hour, dollars)
		for _, way := range r.Options.Live {
			one, ok := find(way.Name, allProviders, hour)
			if !ok {
				continue
			}
			if !hour {
				worst := missing
				if one.Dearer > 0 {
					worst = fmt.Sprintf("%+.1f %%", 100*one.Worst)
				}
				sum.Rows = append(sum.Rows, TableRow{way.Name, []string{
					fmt.Sprintf("%.2f", one.With), change(one.Without, one.With), strconv.Itoa(one.Dearer), worst,
					strconv.Itoa(one.Full), strconv.Itoa(one.Cold), strconv.Itoa(one.Cleared), strconv.Itoa(one.Asked),
				}})
			}
			line(way.Name+kept, way.Name, hour, func(s LiveSpending) string {
				return fmt.Sprintf("%s (%d)", change(s.Without, s.With), s.Dearer)
			})
		}
	}
	return []Table{sum, by}
}
