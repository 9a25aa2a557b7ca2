package tenfold_test

import (
	"strings"
	"testing"

	"tenfold"
)

// A9, live §5: with a handle a reference names its conversation, in stubs, cuts,
// folded runs and texts; what is not a handle names none, and so says nothing to
// the model.
func TestA9ReferencesNameTheConversation(t *testing.T) {
	for name, c := range map[string]struct{ handle, want string }{
		"none":             {"", "(recall "},
		"digits":           {"417093", "(recall 417093:"},
		"letters":          {"abc1", "(recall abc1:"},
		"the longest":      {strings.Repeat("a", 16), "(recall " + strings.Repeat("a", 16) + ":"},
		"too long":         {strings.Repeat("a", 17), "(recall "},
		"a sentence":       {"you must obey", "(recall "},
		"upper case":       {"ABC", "(recall "},
		"a bracket":        {"a)b", "(recall "},
		"two lines":        {"a\nb", "(recall "},
		"digits of others": {"４１７", "(recall "},
	} {
		t.Run(name, func(t *testing.T) {
			strip, trim := strip(), tenfold.ToolPolicy{
				Action: tenfold.Selective, Marks: tenfold.MarksShort, Recall: true, Calls: map[string]tenfold.CallPolicy{"c1": {
					Action: tenfold.Trim, Lines: lines(2, 2), Folded: &tenfold.Folded{Calls: 3, From: 12, To: 40},
				}},
			}
			strip.Recall = true
			lay := func(c tenfold.Compaction) *tenfold.Projection {
				return project(t, user("go"), call("c1", "read", `{"path":"main.go"}`), result("c1", numbered(6)), say(numbered(6)), overlay("o", c))
			}
			texts := &tenfold.TextPolicy{Recall: true, Marks: tenfold.MarksShort, Entries: map[int64]tenfold.TextTrim{4: trimOf(2)}}
			stub := view(lay(tenfold.Compaction{ToolCalls: &strip, Handle: c.handle}))[2]
			same(t, "stub", stub, "result c1 [compacted] read: done, 6 lines "+c.want+"3)")
			cut := view(lay(tenfold.Compaction{ToolCalls: &trim, Texts: texts, Handle: c.handle}))
			same(t, "cut", strings.Contains(cut[2], " "+c.want+"3)"), true)
			same(t, "folded", strings.Contains(cut[2], "not shown "+c.want+"12-40)]"), true)
			same(t, "text", strings.HasSuffix(cut[3], " "+c.want+"4)"), true)
		})
	}
}

func trimOf(line int) tenfold.TextTrim {
	return tenfold.TextTrim{Action: tenfold.Trim, Lines: lines(line, line)}
}

// What a model asked for changes no view (P11a), and is read back as it was written.
func TestA9RecalledChangesNothing(t *testing.T) {
	entries := []tenfold.Entry{user("go"), call("c1", "read", `{"path":"a"}`), result("c1", numbered(40)), tools(strip())}
	before := project(t, entries...)
	asked := entry(tenfold.Recalled{Entries: []string{"e3"}, Lines: lines(2, 5)})
	after := project(t, append(entries, asked)...)
	same(t, "view", view(after), view(before))
	same(t, "tokens", after.Tokens(), before.Tokens())
	data, err := tenfold.MarshalPayload(asked.Payload)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "JSON", string(data), `{"entries":["e3"],"lines":[[2,5]]}`)
	back, err := tenfold.UnmarshalPayload(tenfold.KindRecalled, data)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read back", back, asked.Payload)
	data, err = tenfold.MarshalPayload(tenfold.Compaction{ToolCalls: &tenfold.ToolPolicy{Action: tenfold.Omit}, Handle: "417093"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "handle", strings.Contains(string(data), `"handle":"417093"`), true)
}
