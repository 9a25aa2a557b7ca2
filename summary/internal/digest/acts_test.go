package digest_test

import (
	"fmt"
	"strings"
	"testing"
)

// M4a: what tools did of which nothing is known is told, as it is all that some agents do;
// what they looked at is not, nor what failed.
func TestM4aActsOfUnknownToolsAreTold(t *testing.T) {
	for name, told := range map[string]bool{
		"book_reservation": true, "addComment": true, "mcp__github__create_issue": true, "mcp__slack__post-message": true, "transfer": true, "update_search_index": true, "create_list": true, "用": true,
		"get_reservation": false, "listIssues": false, "mcp__github__search_code": false, "issue_read": false, "browser_take_screenshot": false, "GetUser": false, "__": false, "": false,
		"Read": false, "ToolSearch": false,
	} {
		text := ledgerOf(entriesOf(t, "t", "u book it", "c 1 "+name+` {"seat":"7A"}`, "r 1 ok")).Text(1000)
		if got := strings.Contains(text, `7A`); got != told {
			t.Errorf("%q: told is %t\n%s", name, got, text)
		}
	}
	text := ledgerOf(entriesOf(t, "t", "u book it", `c 1 book {"seat":"7A"}`, "e 1 no", `c 2 book {"seat":"7B"}`, "r 2 ok", `c 3 book {"seat":"7C"}`)).Text(1000)
	if _, commands, ok := strings.Cut(text, "## Commands\n"); !ok || commands != "- `book {\"seat\":\"7B\"}`: done, turn 0\n" {
		t.Errorf("told is\n%s", text)
	}
}

// The last different calls of each tool are told, the newest first, and how many there were;
// of many tools the newest, and the last three of each before more of one.
func TestM4aActsAreFew(t *testing.T) {
	lines := []string{"t", "u set them", `c 0 mail {"to":"ann"}`, "r 0 ok"}
	for i := range 9 {
		lines = append(lines, fmt.Sprintf(`c %d set_cell {"n":%d}`, i+1, i/2), fmt.Sprintf("r %d ok", i+1))
	}
	text := ledgerOf(entriesOf(t, lines...)).Text(1000)
	_, commands, _ := strings.Cut(text, "## Commands\n")
	want := "- `set_cell {\"n\":4}`: done, turn 0, the last of 9 calls\n- `set_cell {\"n\":3}`: done, turn 0\n- `set_cell {\"n\":2}`: done, turn 0\n- `set_cell {\"n\":1}`: done, turn 0\n- `set_cell {\"n\":0}`: done, turn 0\n- `mail {\"to\":\"ann\"}`: done, turn 0\n"
	if commands != want {
		t.Errorf("told is\n%s, want\n%s", commands, want)
	}
	lines = []string{"t", "u do all"}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf(`c %d do_%c {}`, i, 'a'+i), fmt.Sprintf("r %d ok", i))
	}
	text = ledgerOf(entriesOf(t, lines...)).Text(2000)
	if n := strings.Count(text, "`do_"); n != 12 || !strings.Contains(text, "do_t") || strings.Contains(text, "do_h") {
		t.Errorf("%d are told\n%s", n, text)
	}
}
