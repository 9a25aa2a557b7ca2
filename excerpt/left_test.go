package excerpt_test

import (
	"strings"
	"testing"

	"tenfold/excerpt"
)

// S-15: of lines that earlier strategies of a plan left out none is chosen: not for what it says,
// nor to fill a gap, nor for what stands under it.
func TestS15NoLineIsChosenThatMayNotBe(t *testing.T) {
	const plain = "|no words of note are in here, and nobody will ever want to read them again"
	for name, tt := range map[string]struct {
		log  []string
		gone int
		all  string // where each may be chosen
		want string
	}{
		"a gap":        {[]string{"c 1 Bash {}", "r 1 open_file one|and a bit|close_file two" + strings.Repeat(plain, 20)}, 2, "4:1-3", "4:1,3"},
		"a head":       {[]string{"c 1 Grep {}", "r 1 src/oven.go:|  open_file one|  close_file two||" + strings.Repeat(plain, 20)}, 1, "4:1-3", "4:2-3"},
		"a conclusion": {[]string{"a The oven was too hot for the bread, so I turned it down."}, 1, "3:all", ""},
		"a remark":     {[]string{"a The oven was too hot for the bread, so I turned it down.", "c 1 Bash {}", "r 1 ok", "a Done."}, 1, "3:all", ""},
	} {
		l := script(t, append(append([]string{"t", "u go"}, tt.log...), "t", "u and then")...)
		may := func(_ int64, line int) bool { return line != tt.gone }
		same(t, name+", all left", shown(choose(l, excerpt.Options{Budget: 100})), tt.all)
		same(t, name, shown(choose(l, excerpt.Options{Budget: 100, Left: may})), tt.want)
	}
}
