package session_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tenfold"
	"tenfold/internal/logtest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/strategy"
	"tenfold/summary"
	"tenfold/trigger"
)

// untouched is a store that nothing may be written to while it is sealed.
type untouched struct {
	store.Store
	sealed bool
	writes []string
}

func (u *untouched) note(what string) {
	if u.sealed {
		u.writes = append(u.writes, what)
	}
}

func (u *untouched) Create(ctx context.Context, c store.Conversation, entries ...tenfold.Entry) error {
	u.note("create")
	return u.Store.Create(ctx, c, entries...)
}

func (u *untouched) Append(ctx context.Context, b store.Batch) (int64, error) {
	u.note("append")
	return u.Store.Append(ctx, b)
}

func (u *untouched) SetTitle(ctx context.Context, id, title string) error {
	u.note("title")
	return u.Store.SetTitle(ctx, id, title)
}

func (u *untouched) Delete(ctx context.Context, id string, expected int64) error {
	u.note("delete")
	return u.Store.Delete(ctx, id, expected)
}

// C8: a dry run writes nothing: no entry, no record of a failure, no artifact,
// whatever it is asked for and however it is asked. What it says is what would be
// done.
func TestC8ADryRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	triggers := map[string]trigger.Trigger{"": nil, "always": trigger.Always()}
	for _, text := range []string{"10t", "80%", "cache(1t, 5m)", "off"} {
		made, err := trigger.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		triggers[text] = made
	}
	told := 0
	hooks := session.WithHooks(session.Hooks{
		Before: func(_ context.Context, _ *session.Session, plan strategy.Plan) (strategy.Plan, error) {
			told++
			return plan, nil
		},
		After: func(context.Context, *session.Session, session.Result, error) { told++ },
	})
	outcomes := map[session.Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		st := &untouched{Store: memory.New()}
		svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}), hooks)
		s, err := svc.Create(ctx, session.Create{ID: "c", Entries: logtest.Entries(40).Draw(t, "log")})
		if err != nil {
			t.Fatal(err)
		}
		r := all()
		name := rapid.SampledFrom(append(strategy.Names(), "profile:default", "profile:heavy", "profile:tenfold")).Draw(t, "strategy")
		if profile, ok := strings.CutPrefix(name, "profile:"); ok {
			r.Strategies = []strategy.Strategy{strategy.Profiles()[profile]}
		} else {
			one, err := strategy.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			r.Strategies = []strategy.Strategy{one}
		}
		r.Trigger = triggers[rapid.SampledFrom([]string{"", "always", "10t", "80%", "cache(1t, 5m)", "off"}).Draw(t, "trigger")]
		if rapid.Bool().Draw(t, "with an id") {
			r.ID = "request"
		}
		var by strategy.Summarizer = summary.Digest{}
		if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			by = fails(errors.New("no line"))
		}
		r.Options.Summarizer = summary.Recorded{Of: by, Artifacts: summary.Directory(dir), Conversation: "c", Now: time.Now}
		r.Options.DryRun = true
		was, entries := conversation(t, st), slices.Collect(s.Log().Entries())
		view := bodies(t, s.Projection())
		st.sealed = true
		c, err := s.Compact(ctx, r)
		st.sealed = false
		outcomes[c.Outcome]++
		switch {
		case len(st.writes) > 0 || told > 0:
			t.Fatalf("it wrote %v, hooks were told %d times", st.writes, told)
		case len(c.Overlays) > 0:
			t.Fatalf("it made %+v", c.Overlays)
		case err == nil && c.Outcome != session.Planned && c.Outcome != session.Nothing:
			t.Fatalf("it ended %s", c.Outcome)
		}
		if d := cmp.Diff(was, conversation(t, st)); d != "" {
			t.Fatalf("the conversation (-was +is):\n%s", d)
		}
		if d := cmp.Diff(entries, slices.Collect(s.Log().Entries())); d != "" {
			t.Fatalf("the log (-was +is):\n%s", d)
		}
		if got := bodies(t, s.Projection()); !slices.EqualFunc(got, view, slices.Equal) {
			t.Fatal("the view is another")
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%d files were written, %v", len(left), err)
		}
		if c.Outcome != session.Planned {
			return
		}
		// Its plan is not one to apply, and is what the same without dry run does.
		if _, err := s.Apply(ctx, c.Plan); !errors.Is(err, session.ErrDryRun) || s.Log().Version() != int64(len(entries)) {
			t.Fatalf("a dry run's plan is applied: %v", err)
		}
		r.Options.DryRun = false
		r.Options.Summarizer = by
		done, err := s.Compact(ctx, r)
		told = 0
		if got := seen(s).Tokens(); err != nil || done.Outcome != session.Applied || got != c.Plan.After {
			t.Fatalf("%s with %d tokens, %v; it was to be %d", done.Outcome, got, err, c.Plan.After)
		}
	})
	if outcomes[session.Planned] == 0 || outcomes[session.Nothing] == 0 {
		t.Errorf("the outcomes were %v", outcomes)
	}
}

// seen is the view that a request of no branch is about.
func seen(s *session.Session) *tenfold.Projection { return session.ViewOf(s.Projection(), "") }

func conversation(t *rapid.T, st store.Store) store.Conversation {
	c, err := st.Conversation(context.Background(), "c")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A plan is of the moment it was made at, and stays so: what it says of before and
// after does not change when it is applied, when the log grows, when it is undone.
func TestPlansStay(t *testing.T) {
	names := slices.DeleteFunc(strategy.Names(), func(name string) bool { return name == "classify-tangents" })
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		svc := session.NewService(memory.New(), session.WithCounter(tenfold.Chars4{}))
		entries := logtest.Entries(60).Draw(t, "log")
		cut := rapid.IntRange(0, len(entries)).Draw(t, "cut")
		s, err := svc.Create(ctx, session.Create{Entries: entries[:cut]})
		if err != nil {
			t.Fatal(err)
		}
		r := all()
		for range rapid.IntRange(1, 3).Draw(t, "strategies") {
			one, err := strategy.Parse(rapid.SampledFrom(names).Draw(t, "strategy"))
			if err != nil {
				t.Fatal(err)
			}
			r.Strategies = append(r.Strategies, one)
		}
		plan, err := s.Plan(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		look := func() []any {
			return []any{
				plan.Version, plan.Before, plan.After, plan.Shared(), bodies(t, plan.View()),
				slices.Collect(plan.View().Items()), plan.View().Totals(),
			}
		}
		was := look()
		if plan.Before != seen(s).Tokens() {
			t.Fatalf("before it is %d tokens, the session has %d", plan.Before, seen(s).Tokens())
		}
		check := func(when string) {
			if is := look(); !reflect.DeepEqual(was, is) {
				t.Fatalf("%s the plan is another (-was +is):\n%s", when, cmp.Diff(was, is))
			}
		}
		applied, err := s.Apply(ctx, plan)
		if err != nil {
			t.Fatal(err)
		}
		if seen(s).Tokens() != plan.After {
			t.Fatalf("applied it is %d tokens, the plan says %d", seen(s).Tokens(), plan.After)
		}
		check("applied")
		for rest := entries[cut:]; len(rest) > 0; rest = rest[1:] {
			if err := s.Append(ctx, rest[0]); err != nil {
				t.Fatal(err)
			}
		}
		check("after the log grew")
		if len(applied.Overlays) > 0 {
			if _, err := s.UndoAll(ctx); err != nil && !errors.Is(err, session.ErrNothingToUndo) {
				t.Fatal(err)
			}
		}
		check("undone")
	})
}
