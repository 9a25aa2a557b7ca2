package excerpt_test

import (
	"fmt"
	"strings"
	"testing"

	"tenfold/excerpt"
)

// How the last words of a turn begin is worth keeping though it has no names, and so are words
// on the way there; what leads to code is not.
func TestAConclusionIsWorthItsWords(t *testing.T) {
	const plain = "no words of note are in here, and nobody will ever want to read them again in their life"
	for name, tt := range map[string]struct {
		log  []string
		want string
	}{
		"the last words":               {[]string{"a I look.", "c 1 Bash {}", "r 1 ok", "a The oven was too hot for the bread, so I turned it down."}, "6:all"},
		"words before a call":          {[]string{"a The oven was too hot for the bread, so I turned it down.", "c 1 Bash {}", "r 1 ok"}, "3:all"},
		"words before a question":      {[]string{"a The oven was too hot for the bread, so I turned it down.", "c 1 AskUserQuestion {}", "r 1 ok"}, "3:all"},
		"the first paragraph of many":  {[]string{"a You are right.||The oven was too hot for the bread, so I turned it down, and it is fine.||" + strings.Repeat(plain+". ", 12) + "||" + plain}, "3:1-3"},
		"a notice came after":          {[]string{"a The oven was too hot for the bread, so I turned it down.", "s warm"}, "3:all"},
		"a title, words, then code":    {[]string{"a ## The oven||The oven was too hot for the bread, so I turned it down.|Here it is:||```|" + plain + "|```|" + plain}, "3:1-3"},
		"words that lead to something": {[]string{"a The oven was too hot for the bread, so I turned it down. This is the whole change:"}, ""},
		"and so in bold":               {[]string{"a The oven was too hot for the bread, so I turned it down. **This is the whole change:**"}, ""},
		"and so in Chinese":            {[]string{"a 烤箱太热了，面包会烤焦，所以我把温度调低了。以下是全部改动："}, ""},
		"words that lead to questions": {[]string{"a The oven was too hot for the bread, so I turned it down.|I ask before I open it:", "c 1 AskUserQuestion {}", "r 1 ok"}, "3:1"},
		"next to none":                 {[]string{"a Done."}, ""},
		"long words":                   {[]string{"a " + strings.Repeat("The oven was too hot. ", 20) + "|" + strings.Repeat("So it was. ", 50)}, "3:1"},
		"a title and much too much":    {[]string{"a ## The oven was too hot for the bread|" + strings.Repeat("The oven was too hot. ", 80)}, "3:1"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{"t", "u go"}, tt.log...)
			l := script(t, append(lines, "t", "u and then")...)
			same(t, "kept", shown(choose(l, excerpt.Options{Budget: 300})), tt.want)
			same(t, "without", shown(choose(l, excerpt.Options{Budget: 300, Without: without(excerpt.Conclusions)})), "")
		})
	}
	// The newest is worth the most.
	l := script(t, "t", "u go", "a The oven was too hot for the bread, so I turned it down.", "t", "u and then", "a The bread was much too cold for the oven: I threw it out.", "t", "u go on")
	same(t, "with room for one", shown(choose(l, excerpt.Options{Budget: 20})), "6:all")
}

// Why something fails is said once, on the way. It stays where the names beside it are those of
// a long log; a conclusion comes before it.
func TestAFindingOutweighsALogWithoutEnd(t *testing.T) {
	const finding = "a Both of them wait for one another, as each takes first what the other takes last."
	var log strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&log, "|request %d was served within %d of them", 100000+7*i, 2000+3*i)
	}
	lines := []string{"t", "u go", "c 1 Bash {}", "r 1 begin" + log.String(), finding, "c 2 Bash {}", "r 2 ok", "t", "u and then"}
	kept := choose(script(t, lines...), excerpt.Options{Budget: 2000})
	if got := shown(kept); !strings.Contains(got, "5:all") {
		t.Errorf("kept %s, without what was found", got)
	}
	l := script(t, "t", "u go", "a The oven was too hot for the bread, so I turned it down.", "c 1 Bash {}", "r 1 ok", "a The bread was much too cold for the oven: I threw it out.", "t", "u go on")
	same(t, "with room for one", shown(choose(l, excerpt.Options{Budget: 20})), "6:all")
}
