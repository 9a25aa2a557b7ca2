package session_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/internal/corpustest"
	"tenfold/session"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/transcript"
)

// named makes an import of a conversation that has an id.
func named(tb testing.TB, id string, entries ...tenfold.Entry) session.Import {
	tb.Helper()
	return newImport(tb, "/x/"+id, transcript.Collected{Conversation: transcript.Conversation{ID: id, Named: true}, Entries: entries})
}

// speak gives entries of texts in turn, of a person and of a model.
func speak(texts ...string) []tenfold.Entry {
	var all []tenfold.Entry
	for i, text := range texts {
		e := tenfold.Entry{ID: fmt.Sprintf("m%d-%s", i, text), Payload: tenfold.AssistantMessage{Text: text}}
		if i%2 == 0 {
			e.Payload = tenfold.UserMessage{Parts: tenfold.Text(text)}
			all = append(all, tenfold.Entry{ID: e.ID + "/turn", Payload: tenfold.TurnStart{}})
		}
		all = append(all, e)
	}
	return all
}

// A conversation with an id is itself wherever it is read, as long as it goes
// on with what it said; another that bears the id is one of its own.
func TestConversationsWithIDs(t *testing.T) {
	i := newImporter(t, memory.New())
	first := i.put(named(t, "s1", speak("a", "b")...))
	moved := named(t, "s1", speak("a", "b", "c")...)
	moved.Path, moved.Owner = "/elsewhere/copy.jsonl", "bob@there"
	if at := i.put(moved); at.ID != first.ID || len(at.Fresh) != 2 {
		t.Errorf("a copy that went on is %s with %d new", at.ID, len(at.Fresh))
	}
	cut := i.put(named(t, "s1", speak("a", "b")...))
	if cut.ID != "s1-2" || cut.Parted == nil || !cut.Parted.Cut || cut.Parted.From != "s1" || cut.Parted.Turn != 1 {
		t.Errorf("one that was cut is %s, parted %+v", cut.ID, cut.Parted)
	}
	other := i.put(named(t, "s1", speak("x", "y")...))
	if other.ID != "s1-3" || other.Parted == nil || other.Parted.Cut || other.Parted.Turn != 0 {
		t.Errorf("another of the id is %s, parted %+v", other.ID, other.Parted)
	}
	// Each goes on by itself.
	for id, texts := range map[string][]string{"s1": {"a", "b", "c", "d"}, "s1-2": {"a", "b", "e"}, "s1-3": {"x", "y", "z"}} {
		if at := i.put(named(t, "s1", speak(texts...)...)); at.ID != id {
			t.Errorf("%q is %s, not %s", texts, at.ID, id)
		}
	}
	i.end()
}

// A conversation of an earlier release has no origin: one with an id is told by
// that, and what its other ids were does not matter.
func TestConversationsOfAnEarlierRelease(t *testing.T) {
	st := memory.New()
	usage := func(id string, n int) tenfold.Entry { return tenfold.Entry{ID: id, Payload: tenfold.Usage{Input: n}} }
	old := append(slices.Insert(speak("a", "b"), 2, usage("line-3", 1)), usage("line-5", 2))
	for _, id := range []string{"s1", "request-1"} {
		if err := st.Create(t.Context(), store.Conversation{ID: id}, old...); err != nil {
			t.Fatal(err)
		}
	}
	now := speak("a", "b", "c")
	now = slices.Insert(slices.Insert(now, 3, usage("line-5-abc", 2)), 2, usage("line-3-abc", 1))
	for n := range now {
		now[n].ID = "new-" + now[n].ID
	}
	i := newImporter(t, st)
	at := i.put(named(t, "s1", now...))
	if at.ID != "s1" || len(at.Fresh) != 2 {
		t.Errorf("it is %s with %d new", at.ID, len(at.Fresh))
	}
	if at := i.put(named(t, "s1", append(now, usage("line-8-abc", 2))...)); at.ID != "s1" || len(at.Fresh) != 1 {
		t.Errorf("it is %s with %d new", at.ID, len(at.Fresh))
	}
	// One without an id is the same as long as it says the same, and from when
	// anything is done to it the file's.
	file := func(path string, texts ...string) session.Import {
		in := named(t, "request-1", speak(texts...)...)
		in.Named, in.Path = false, path
		return in
	}
	for _, path := range []string{"/x/one.json", "/x/two.json"} {
		if at := i.put(file(path, "a", "b")); at.ID != "request-1" {
			t.Errorf("a file that says the same is %s", at.ID)
		}
	}
	at, err := i.svc.Locate(t.Context(), file("/x/one.json", "a", "b"))
	if err == nil {
		err = at.Store(t.Context(), tenfold.Entry{ID: "cmp_1", Payload: tenfold.Compaction{ToTurn: 1, Turns: tenfold.Omit}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if at := i.put(file("/x/one.json", "a", "b", "c")); at.ID != "request-1" {
		t.Errorf("the file that was compacted goes on as %s", at.ID)
	}
	if at := i.put(file("/x/two.json", "a", "b")); at.ID == "request-1" {
		t.Error("another file still is the same")
	}
	in := file("/x/three.json", "a", "b", "c")
	if at := i.put(in); !strings.HasPrefix(at.ID, "request-1-") || at.Parted != nil {
		t.Errorf("a file without an id is %s: nobody knows where that came from", at.ID)
	}
}

// TestL12OutcomesTellNoConversationsApart: an importer that learnt to tell how a
// call ended, or what a message is for (L11), reads the file that an earlier
// release imported.
func TestL12OutcomesTellNoConversationsApart(t *testing.T) {
	said := func(o tenfold.Outcome, p tenfold.Purpose) []tenfold.Entry {
		return append(speak("go"),
			tenfold.Entry{ID: "c", Payload: tenfold.ToolCall{CallID: "1", Name: "make", Arguments: "{}"}},
			tenfold.Entry{ID: "r", Payload: tenfold.ToolResult{CallID: "1", Parts: tenfold.Text("red"), Outcome: o}},
			tenfold.Entry{ID: "n", Payload: tenfold.UserMessage{Parts: tenfold.Text("note"), Purpose: p, Synthetic: true}})
	}
	i := newImporter(t, memory.New())
	first := i.put(named(t, "s1", said("", "")...))
	for _, o := range []tenfold.Outcome{tenfold.Exit(2), tenfold.Failed} {
		if at := i.put(named(t, "s1", said(o, tenfold.Notice)...)); at.ID != first.ID || len(at.Fresh) > 0 {
			t.Errorf("with %q it is %s with %d new", o, at.ID, len(at.Fresh))
		}
	}
	grown := append(said(tenfold.Exit(2), tenfold.Context), tenfold.Entry{ID: "m", Payload: tenfold.AssistantMessage{Text: "more"}})
	if at := i.put(named(t, "s1", grown...)); at.ID != first.ID || len(at.Fresh) != 1 {
		t.Errorf("gone on, it is %s with %d new", at.ID, len(at.Fresh))
	}
	i.end()
}

// The name of a file without an id never makes it another's conversation, and a
// conversation with an id is not taken for one that only has that name.
func TestNamesAreNoIdentity(t *testing.T) {
	i := newImporter(t, memory.New())
	file := named(t, "request-1", speak("a")...)
	file.Named = false
	mine := i.put(file)
	export := func(texts ...string) session.Import {
		in := named(t, "request-1", speak(texts...)...)
		in.Path = "/x/exported.jsonl"
		return in
	}
	if exported := i.put(export("a")); exported.ID != mine.ID {
		t.Errorf("what was exported comes back as %s", exported.ID)
	}
	grown := i.put(export("a", "b"))
	if grown.ID == mine.ID || grown.Parted != nil {
		t.Errorf("another that goes on otherwise is %s, parted %+v", grown.ID, grown.Parted)
	}
	if got := i.says(mine.ID); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the file's conversation says %q", got)
	}
}

// A conversation that went on in the store stays what the file was, until the
// file goes on as well.
func TestBothWentOn(t *testing.T) {
	i := newImporter(t, memory.New())
	at := i.put(named(t, "s1", speak("a", "b")...))
	if err := at.Session.Append(t.Context(), speak("a", "b", "mine", "too")[3:]...); err != nil {
		t.Fatal(err)
	}
	again, err := put(t.Context(), i.svc, named(t, "s1", speak("a", "b")...))
	if err != nil || again.ID != "s1" || len(again.Fresh) > 0 || again.Parted != nil {
		t.Errorf("the file as it was is %s with %d new, parted %+v, %v", again.ID, len(again.Fresh), again.Parted, err)
	}
	grown := i.put(named(t, "s1", speak("a", "b", "c")...))
	if grown.ID != "s1-2" || grown.Parted == nil || grown.Parted.Turn != 1 {
		t.Errorf("the file that went on is %s, parted %+v", grown.ID, grown.Parted)
	}
	// What went on in the same way is the same.
	same, err := put(t.Context(), i.svc, named(t, "s1", speak("a", "b", "mine", "too", "more")...))
	if err != nil || same.ID != "s1" || len(same.Fresh) != 2 {
		t.Errorf("the file that says what the log says is %s with %d new, %v", same.ID, len(same.Fresh), err)
	}
}

// An entry whose id the log has for something else would be left out (L9): then
// it is another conversation, and whole.
func TestNoEntryIsLeftOutForItsID(t *testing.T) {
	i := newImporter(t, memory.New())
	at := i.put(named(t, "s1", speak("a", "b")...))
	if err := at.Session.Append(t.Context(), tenfold.Entry{ID: "m2-c", Payload: tenfold.Usage{Input: 1}}); err != nil {
		t.Fatal(err)
	}
	if grown := i.put(named(t, "s1", speak("a", "b", "c")...)); grown.ID != "s1-2" || grown.Parted == nil {
		t.Errorf("it is %s, parted %+v", grown.ID, grown.Parted)
	}
}

// Results come late, where calls run side by side (P11a); one that changed is
// another story.
func TestResultsComeLate(t *testing.T) {
	call := func(id string) tenfold.Entry {
		return tenfold.Entry{ID: "call " + id, Payload: tenfold.ToolCall{CallID: id, Name: "read", Arguments: "{}"}}
	}
	result := func(id, text string) tenfold.Entry {
		return tenfold.Entry{ID: "result " + id, Payload: tenfold.ToolResult{CallID: id, Parts: tenfold.Text(text)}}
	}
	i := newImporter(t, memory.New())
	running := append(speak("go"), call("1"), call("2"))
	first := i.put(named(t, "s1", running...))
	done := append(speak("go"), call("1"), result("1", "one"), call("2"), result("2", "two"))
	for range 2 {
		if at := i.put(named(t, "s1", done...)); at.ID != first.ID || at.Session.Log().Version() != 6 {
			t.Errorf("with its results it is %s, and has %d entries", at.ID, at.Session.Log().Version())
		}
	}
	more := append(slices.Clone(done), speak("go", "done")[2])
	if at := i.put(named(t, "s1", more...)); at.ID != first.ID || len(at.Fresh) != 1 {
		t.Errorf("gone on, it is %s with %d new", at.ID, len(at.Fresh))
	}
	changed := slices.Clone(done)
	changed[3] = result("1", "uno")
	if at := i.put(named(t, "s1", changed...)); at.Parted == nil || at.Parted.Cut {
		t.Errorf("with another result it is %s, parted %+v", at.ID, at.Parted)
	}
	if at, err := i.svc.Locate(t.Context(), named(t, "s1", running...)); err != nil || at.Parted == nil || !at.Parted.Cut {
		t.Errorf("without its results it is %+v, %v", at, err)
	}
	// The same call id a thousand times.
	var many []tenfold.Entry
	for n := range 1000 {
		c, r := call("call_0"), result("call_0", fmt.Sprint(n%3))
		c.ID, r.ID = fmt.Sprintf("c%d", n), fmt.Sprintf("r%d", n)
		many = append(many, c, r)
	}
	if at := i.put(named(t, "s2", many[:1001]...)); len(at.Fresh) != 1001 {
		t.Errorf("%d new", len(at.Fresh))
	}
	if at := i.put(named(t, "s2", many...)); at.ID != "s2" || len(at.Fresh) != 999 {
		t.Errorf("it is %s with %d new", at.ID, len(at.Fresh))
	}
}

// Branches grow beside the root, and may be missing; one that says something
// else makes another conversation.
func TestBranchesGrow(t *testing.T) {
	agent := func(texts ...string) []tenfold.Entry {
		all := speak(texts...)
		for n := range all {
			all[n].ID, all[n].Branch = "agent-"+all[n].ID, "agent"
		}
		return all
	}
	with := func(branch []tenfold.Entry) []tenfold.Entry { return slices.Insert(speak("a", "b", "c"), 3, branch...) }
	i := newImporter(t, memory.New())
	first := i.put(named(t, "s1", with(agent("x"))...))
	for n, test := range []struct {
		branch []tenfold.Entry
		fresh  int
	}{{agent("x", "y"), 1}, {agent("x"), 0}, {nil, 0}, {agent("x", "y", "z"), 2}} {
		at, err := put(t.Context(), i.svc, named(t, "s1", with(test.branch)...))
		if err != nil || at.ID != first.ID || len(at.Fresh) != test.fresh {
			t.Errorf("%d: it is %s with %d new, %v", n, at.ID, len(at.Fresh), err)
		}
	}
	at, err := put(t.Context(), i.svc, named(t, "s1", with(agent("other"))...))
	if err != nil || at.ID == first.ID || at.Parted == nil {
		t.Errorf("with another branch it is %s, parted %+v, %v", at.ID, at.Parted, err)
	}
}

// The configuration is the file's, also when it is changed and changed back;
// that alone makes no other conversation.
func TestConfigurationFollowsTheFile(t *testing.T) {
	body := func(model, system string) shape {
		return shape{transcript.AnthropicBody, "request.json", func(d dialogue) []byte {
			o := object("model", model, "max_tokens", 1, "messages", d.each(plainMessage))
			if system != "" {
				o["system"] = system
			}
			return encoded(o)
		}}
	}
	i := newImporter(t, memory.New())
	const path = "/x/request.json"
	first := ""
	for n, c := range []struct{ model, system string }{{"m1", "kind"}, {"m2", "kind"}, {"m1", "kind"}, {"m1", "strict"}, {"m1", ""}, {"m1", "kind"}, {"m2", "strict"}} {
		at := i.put(body(c.model, c.system).read(t, path, newDialogue("hello", "hello to you")))
		if first == "" {
			first = at.ID
		}
		got := at.Session.Projection().Config()
		if at.ID != first || got.Model != c.model || got.System != c.system {
			t.Errorf("%d: it is %s with model %q and system prompt %q, not %+v", n, at.ID, got.Model, got.System, c)
		}
	}
}

// What is imported from one place is told apart by the whole of it: a thousand
// versions of one file are a thousand conversations, found without opening all.
func TestManyVersionsOfOneFile(t *testing.T) {
	st := &countingStore{Store: memory.New()}
	i := newImporter(t, st)
	n := 1000
	if corpustest.UnderRace {
		n = 200
	}
	in := func(k int) session.Import {
		f := named(t, "request-1", speak("same", fmt.Sprintf("version %d", k))...)
		f.Named, f.Path = false, "/x/request.json"
		return f
	}
	for k := range n {
		if _, err := put(t.Context(), i.svc, in(k)); err != nil {
			t.Fatal(err)
		}
	}
	st.opened, st.looked = 0, 0
	at, err := put(t.Context(), i.svc, in(7))
	if err != nil || len(at.Fresh) > 0 || !slices.Equal(saidIn(at.Session.Log()), []string{"same", "version 7"}) {
		t.Fatalf("version 7 is %s, %v", at.ID, err)
	}
	if st.opened != 1 {
		t.Errorf("%d logs were read to find it", st.opened)
	}
	st.opened, st.looked = 0, 0
	if at, err = put(t.Context(), i.svc, in(n)); err != nil || at.Parted == nil {
		t.Fatalf("a new version is %+v, %v", at, err)
	}
	if st.opened > 10 || st.looked > 10 {
		t.Errorf("%d logs were read and %d names tried for a new version", st.opened, st.looked)
	}
}

// Of two imports of one file at once, the second finds what the first made, at
// whatever moment that comes.
func TestMadeMeanwhile(t *testing.T) {
	in := named(t, "request-1", speak("a", "b")...)
	in.Named = false
	for moment := range 3 {
		st := &meanwhile{Store: memory.New()}
		svc := session.NewService(st, session.WithCounter(tenfold.Chars4{}))
		other := named(t, "request-1", speak("x")...) // has the name already
		other.Named, other.Path = false, "/other"
		if _, err := put(t.Context(), svc, other); err != nil {
			t.Fatal(err)
		}
		st.after = moment
		st.do = func() {
			if _, err := put(t.Context(), session.NewService(st.Store), in); err != nil {
				t.Error(err)
			}
		}
		if _, err := put(t.Context(), svc, in); err != nil {
			t.Fatal(err)
		}
		if all := slices.Collect(maps.Keys(maps.Collect(svc.List(t.Context())))); len(all) != 2 {
			t.Errorf("at moment %d it was made twice: %+v", moment, all)
		}
	}
}

// meanwhile has something done after the first so many looks into a store.
type meanwhile struct {
	*memory.Store
	after int
	do    func()
}

func (s *meanwhile) look() {
	if s.after--; s.after < 0 && s.do != nil {
		do := s.do
		s.do = nil
		do()
	}
}

// Imported implements [store.Store].
func (s *meanwhile) Imported(ctx context.Context, key string) ([]store.Conversation, error) {
	defer s.look()
	return s.Store.Imported(ctx, key)
}

// Conversation implements [store.Store].
func (s *meanwhile) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	defer s.look()
	return s.Store.Conversation(ctx, id)
}

// countingStore counts what is read.
type countingStore struct {
	*memory.Store
	opened, looked int
}

// Conversation implements [store.Store].
func (s *countingStore) Conversation(ctx context.Context, id string) (store.Conversation, error) {
	s.looked++
	return s.Store.Conversation(ctx, id)
}

// Entries implements [store.Store].
func (s *countingStore) Entries(ctx context.Context, id string, after int64) iter.Seq2[tenfold.Entry, error] {
	s.opened++
	return s.Store.Entries(ctx, id, after)
}

// A session that a tool writes line by line goes on in one conversation, however
// often it is imported on the way; and importing all of the corpus twice changes
// nothing.
func TestCorpusGrowsInOneConversation(t *testing.T) {
	for _, file := range corpustest.Sample(corpustest.Files(t)) {
		t.Run(file.Name, func(t *testing.T) {
			i := newImporter(t, memory.New())
			whole, err := transcript.Open(file.Path)
			if err != nil {
				t.Skip(err)
			}
			var k transcript.Collector
			err = transcript.Import(t.Context(), whole.Source, "", &k)
			if closing := whole.Close(); closing != nil {
				t.Fatal(closing)
			}
			if err != nil {
				t.Skip(err)
			}
			ids := map[string]bool{}
			if filepath.Ext(file.Path) == ".jsonl" {
				data, err := os.ReadFile(file.Path)
				if err != nil {
					t.Fatal(err)
				}
				lines := bytes.SplitAfter(data, []byte("\n"))
				for n := range 8 {
					data := bytes.Join(lines[:len(lines)*(n+1)/9], nil)
					var part transcript.Collector
					if transcript.Import(t.Context(), transcript.Source{Name: file.Path, Reader: bytes.NewReader(data)}, k.Conversations[0].Format, &part) != nil {
						continue // too little to tell
					}
					i.putAll(file.Path, part.Conversations, ids)
				}
			}
			for range 2 {
				i.putAll(file.Path, k.Conversations, ids)
			}
			if len(ids) != len(k.Conversations) {
				t.Errorf("%d conversations became %d", len(k.Conversations), len(ids))
			}
		})
	}
}

// putAll imports the conversations of a source.
func (i *importer) putAll(path string, all []transcript.Collected, ids map[string]bool) {
	i.Helper()
	taken := map[string]bool{}
	for _, c := range all {
		in := newImport(i, path, c)
		in.Taken = taken
		at, err := put(i.Context(), i.svc, in)
		if err != nil {
			i.Fatal(err)
		}
		if at.Parted != nil {
			i.Errorf("%s parted from %s at turn %d", at.ID, at.Parted.From, at.Parted.Turn)
		}
		if ids[at.ID] && at.Session == nil {
			i.Errorf("%s is made again", at.ID)
		}
		taken[at.ID], ids[at.ID] = true, true
	}
}

// A session that is imported before anybody said anything gets its title from the import
// that has one; a title that it has stays.
func TestATitleThatComesLater(t *testing.T) {
	svc := session.NewService(memory.New())
	log := func(payloads ...tenfold.Payload) *tenfold.Log {
		l := tenfold.NewLog()
		for i, p := range payloads {
			if _, err := l.Append(tenfold.Entry{ID: fmt.Sprint("e", i), Payload: p}); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	asked := tenfold.UserMessage{Parts: tenfold.Text("Bake a cake.")}
	for i, step := range []struct {
		log         *tenfold.Log
		title, want string
	}{
		{log(tenfold.TurnStart{}), "", ""},
		{log(tenfold.TurnStart{}, asked), "Bake a cake.", "Bake a cake."},
		{log(tenfold.TurnStart{}, asked, tenfold.AssistantMessage{Text: "Done."}), "Another", "Bake a cake."},
	} {
		at, err := put(t.Context(), svc, session.Import{ID: "one", Named: true, Path: "/one.jsonl", Title: step.title, Log: step.log})
		if err != nil {
			t.Fatal(err)
		}
		c, err := svc.Find(t.Context(), "one")
		if err != nil || c.Title != step.want || at.Session.Title() != step.want || c.Version != step.log.Version() {
			t.Errorf("step %d: %+v, %q, %v", i, c, at.Session.Title(), err)
		}
	}
}

// An overlay that comes from another store names entries by the seqs that they have there:
// here a compaction of its own stands between.
func TestOverlaysOfAnotherStoreKeepTheirMeaning(t *testing.T) {
	ctx := t.Context()
	there, here := session.NewService(memory.New()), session.NewService(memory.New())
	entries := talk(4)
	for i := range entries {
		entries[i].ID = fmt.Sprint("e", i)
	}
	half := slices.IndexFunc(entries, func(e tenfold.Entry) bool { return e.Payload.Kind() == tenfold.KindTurnStart && e.ID > "e1" })
	s, err := there.Create(ctx, session.Create{ID: "one", Entries: entries[:half]})
	if err != nil {
		t.Fatal(err)
	}
	exported := func() session.Import {
		l := tenfold.NewLog()
		if _, err := l.Append(slices.Collect(s.Log().Entries())...); err != nil {
			t.Fatal(err)
		}
		return session.Import{ID: "one", Named: true, Path: "/one.jsonl", Log: l}
	}
	at, err := put(ctx, here, exported())
	if err != nil {
		t.Fatal(err)
	}
	if err := at.Session.Append(ctx, tenfold.Entry{Payload: tenfold.Compaction{Attachments: &tenfold.Policy{Action: tenfold.Strip}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(ctx, entries[half:]...); err != nil {
		t.Fatal(err)
	}
	var results []int64
	for e := range s.Log().Entries() {
		if e.Payload.Kind() == tenfold.KindToolResult {
			results = append(results, e.Seq)
		}
	}
	omit := tenfold.CallGroup{CallPolicy: tenfold.CallPolicy{Action: tenfold.Omit}, Entries: []int64{s.Log().Pair(results[0]), s.Log().Pair(results[len(results)-1])}}
	if err := s.Append(ctx, tenfold.Entry{Payload: tenfold.Compaction{
		ToTurn: 3, ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Selective, Groups: []tenfold.CallGroup{omit}},
	}}); err != nil {
		t.Fatal(err)
	}
	if at, err = put(ctx, here, exported()); err != nil {
		t.Fatal(err)
	}
	omitted := 0
	for e := range s.Log().Entries() {
		mine, ok := at.Session.Log().Lookup(e.ID)
		if !ok {
			t.Fatalf("%s did not come", e.ID)
		}
		want, _, _ := s.Projection().Fate(e.Seq)
		if got, _, _ := at.Session.Projection().Fate(mine.Seq); got != want {
			t.Errorf("%s (%d there, %d here) is %s, not %s", e.ID, e.Seq, mine.Seq, got, want)
		}
		if want == tenfold.Omitted {
			omitted++
		}
	}
	if omitted != 4 || at.Session.Log().Version() != s.Log().Version()+1 {
		t.Errorf("%d are omitted, %d entries are here and %d there", omitted, at.Session.Log().Version(), s.Log().Version())
	}
}
