package attack

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tenfold"
	"tenfold/fleet/tenant"
	"tenfold/store"
	"tenfold/store/remote"
)

// storeMethods has the attacker call every method of a store, on the database and
// over the server, with what the victim has.
func storeMethods(t *testing.T, w *world, mine, theirs secrets) {
	far, err := remote.Open(w.url(), w.attacker.token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	for name, st := range map[string]store.Store{"database": w.attacker.store, "server": far} {
		tried := map[string]bool{"Close": true}
		for _, id := range []string{theirs.id, alike(theirs.id)} {
			for method, try := range tries(st, id, mine, theirs) {
				tried[method] = true
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				if err := try(ctx); err != nil {
					t.Errorf("%s: %s: %v", name, method, err)
				}
				cancel()
			}
		}
		for m := range reflect.TypeFor[store.Store]().Methods() {
			if !tried[m.Name] {
				t.Errorf("no attack tries %s", m.Name)
			}
		}
	}
	// What a token may do holds for the store's methods too.
	for _, only := range tenant.AllScopes() {
		st, err := remote.Open(w.url(), w.newToken(t, w.attacker.ID, tenant.NewToken{Label: "store", Scopes: tenant.Scopes{only}}))
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		id := w.fresh(t)
		need := map[string]tenant.Scope{}
		overlay := tenfold.Entry{ID: "o", Payload: tenfold.Compaction{FromTurn: 0, ToTurn: 0}}
		for what, err := range map[string]error{
			"append: append":  third(st.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: "x", Payload: tenfold.TurnStart{}}}})),
			"compact: append": third(st.Append(t.Context(), store.Batch{Conversation: id, Expected: store.AnyVersion, Entries: []tenfold.Entry{overlay}})),
			"append: create":  st.Create(t.Context(), store.Conversation{ID: "by " + string(only)}),
			"append: title":   st.SetTitle(t.Context(), id, "other"),
			"read: read":      third(st.Conversation(t.Context(), id)),
			"read: search":    third(st.Search(t.Context(), store.Query{Text: "w"})),
			"read: page":      third(st.Page(t.Context(), nil, 1)),
			"read: prefix":    third(st.WithPrefix(t.Context(), id, 1)),
			"read: handle":    third(st.WithHandle(t.Context(), store.Handle(id))),
			"read: imported":  third(st.Imported(t.Context(), mine.origin)),
			"admin: delete":   st.Delete(t.Context(), id, store.AnyVersion),
		} {
			scope, _, _ := strings.Cut(what, ":")
			need[what] = tenant.Scope(scope)
			denied := err != nil && strings.Contains(err.Error(), "scope")
			if denied == (tenant.Scopes{only}).Has(need[what]) {
				t.Errorf("with %s, %s gives %v", only, what, err)
			}
		}
	}
}

func third[T any](_ T, err error) error { return err }

// tries are what an attacker tries by each method of a store on a conversation that
// is not there. Each gives an error where it is told, or does, anything.
func tries(st store.Store, id string, mine, theirs secrets) map[string]func(context.Context) error {
	missing := func(what string, err error) error {
		if !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%s: %v, not %v", what, err, store.ErrNotFound)
		}
		return nil
	}
	quiet := func(what string, v any) error {
		text := fmt.Sprintf("%+v", v)
		for _, secret := range theirs.values() {
			if strings.Contains(strings.ReplaceAll(text, id, ""), secret) {
				return fmt.Errorf("%s tells %s: %.300s", what, secret, text)
			}
		}
		return nil
	}
	return map[string]func(context.Context) error{
		"Conversation": func(ctx context.Context) error {
			_, err := st.Conversation(ctx, id)
			return missing("look up", err)
		},
		"Conversations": func(ctx context.Context) error {
			var all []store.Conversation
			for c, err := range st.Conversations(ctx) {
				if err != nil {
					return err
				}
				all = append(all, c)
			}
			if !slices.ContainsFunc(all, func(c store.Conversation) bool { return c.ID == mine.id }) {
				return errors.New("one's own are not listed")
			}
			return quiet("the list", all)
		},
		"Page": func(ctx context.Context) error {
			// From the beginning, from what the victim has, and from beyond all.
			for _, after := range []*store.Place{nil, {Updated: time.Now().Add(time.Hour), ID: id}, {Updated: time.Now(), ID: theirs.id}, {ID: "\xff"}} {
				all, err := st.Page(ctx, after, 1000)
				if err == nil {
					err = quiet("a page", all)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
		"WithPrefix": func(ctx context.Context) error {
			for _, prefix := range []string{id, id[:1], theirs.id, theirs.id[:8], ""} {
				all, err := st.WithPrefix(ctx, prefix, 1000)
				if err == nil {
					err = quiet("those with a prefix", all)
				}
				if err != nil || strings.HasPrefix(prefix, theirs.id[:8]) && len(all) > 0 {
					return fmt.Errorf("with %q there are %+v, %v", prefix, all, err)
				}
			}
			return nil
		},
		"WithHandle": func(ctx context.Context) error {
			theirs, err := st.WithHandle(ctx, store.Handle(theirs.id))
			own, other := st.WithHandle(ctx, store.Handle(mine.id))
			if err != nil || other != nil || len(theirs) != 0 || len(own) != 1 {
				return fmt.Errorf("%v, %v with the victim's handle, %d, %v with one's own", theirs, err, len(own), other)
			}
			return nil
		},
		"Imported": func(ctx context.Context) error {
			all, err := st.Imported(ctx, theirs.origin)
			own, other := st.Imported(ctx, mine.origin)
			if err != nil || other != nil || len(all) != 0 || len(own) != 2 {
				return fmt.Errorf("%v, %v of the victim's origin, %d, %v of one's own", all, err, len(own), other)
			}
			return nil
		},
		"SetTitle": func(ctx context.Context) error { return missing("rename", st.SetTitle(ctx, id, "mine now")) },
		"Delete":   func(ctx context.Context) error { return missing("delete", st.Delete(ctx, id, store.AnyVersion)) },
		"Create": func(ctx context.Context) error {
			// The id is free: that another tenant uses it is nothing to this one.
			for _, id := range []string{id, theirs.word, theirs.compaction} {
				if err := st.Create(ctx, store.Conversation{ID: id, Title: "mine"}, tenfold.Entry{ID: theirs.entry + "-0t", Payload: tenfold.TurnStart{}}); err != nil {
					return err
				}
				c, err := st.Conversation(ctx, id)
				if err != nil || c.Version != 1 || c.Title != "mine" {
					return fmt.Errorf("made: %+v, %v", c, err)
				}
				if err := st.Delete(ctx, id, store.AnyVersion); err != nil {
					return err
				}
			}
			return nil
		},
		"Append": func(ctx context.Context) error {
			// Without new entries too, and with those that the victim's log holds.
			for _, b := range []store.Batch{
				{Expected: store.AnyVersion},
				{Expected: 0},
				{Expected: 21},
				{Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: theirs.entry + "-0t", Payload: tenfold.TurnStart{}}}},
				{Expected: 3, Entries: []tenfold.Entry{{ID: "new", Payload: tenfold.TurnStart{}}}},
			} {
				b.Conversation = id
				if _, err := st.Append(ctx, b); missing("append", err) != nil {
					return missing("append", err)
				}
			}
			return nil
		},
		"Entries": func(ctx context.Context) error {
			for _, after := range []int64{-1, 0, 3, 1 << 40} {
				n := 0
				for _, err := range st.Entries(ctx, id, after) {
					if n++; missing("read", err) != nil {
						return missing("read", err)
					}
				}
				if n != 1 {
					return fmt.Errorf("%d entries after %d", n, after)
				}
			}
			return nil
		},
		"Watch": func(ctx context.Context) error {
			for _, err := range st.Watch(ctx, id, 0) {
				return missing("watch", err)
			}
			return errors.New("a watch that says nothing")
		},
		"Search": func(ctx context.Context) error {
			for _, q := range []store.Query{{Text: theirs.word}, {Text: theirs.word, Conversation: shared}, {Text: `"please ` + theirs.word + `"`}, {Text: theirs.word, Limit: 1}} {
				if hits, err := st.Search(ctx, q); err != nil || len(hits) != 0 {
					return fmt.Errorf("%+v finds %+v, %v", q, hits, err)
				}
			}
			if hits, err := st.Search(ctx, store.Query{Text: mine.word}); err != nil || len(hits) == 0 {
				return fmt.Errorf("one's own word is not found: %v", err)
			}
			_, err := st.Search(ctx, store.Query{Text: theirs.word, Conversation: id})
			return missing("search", err)
		},
	}
}
