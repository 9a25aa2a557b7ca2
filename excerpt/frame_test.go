package excerpt_test

import (
	"strings"
	"testing"
)

// What a host writes around an output is never chosen: it says nothing of the work, and
// takes the place of what does.
func TestTheFrameOfAnOutputIsNotChosen(t *testing.T) {
	const plain = "plain words are here, many of them, too long for a gap to be filled with any of them, as long as the sentences that people write who have time, and then some words more still"
	for name, tt := range map[string]struct{ result, want string }{
		"Codex":      {"Chunk ID: 60305c|Wall time: 0.1 seconds|Process exited with code 0|Original token count: 4100|Output:|" + plain + "|open_file|" + plain, "4:7"},
		"Gemini CLI": {"Output: " + plain + "|open_file|" + plain + "|Process Group PGID: 32097", "4:2"},
		"running": {
			"Chunk ID: 60305c|Wall time: 0.1 seconds|Process running with session ID 41002|Original token count: 4100|Output:|" + plain, "4:1-4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+tt.result)
			same(t, "kept", shown(choose(l, linesOnly(60))), tt.want)
		})
	}
}

// What the result of an edit shows of a change as a diff stands in the edit's own words: no
// line of it is chosen. What a command prints as a diff stands nowhere else.
func TestADiffOfAnEditIsNotChosen(t *testing.T) {
	const diff = "r 1 @@ -1,3 +1,3 @@| keep_it|-shut_file|+open_file| plain words|+hot_oven"
	for call, want := range map[string]string{
		`c 1 Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`: "4:2,6",
		`c 1 Bash {"command":"sed -i s/x/y/ a.go && git diff"}`:           "4:2-6",
	} {
		o := linesOnly(60)
		same(t, call, shown(choose(script(t, "t", "u go", call, diff), o)), want)
	}
}

// What a patch takes out of its file stands nowhere any more, and is not chosen.
func TestWhatAPatchTakesOutIsNotChosen(t *testing.T) {
	plain := strings.Repeat("plain words of a file ", 8)
	l := script(t, "t", "u go", `c 1 apply_patch {"input":"*** Begin Patch\n*** Update File: a.go\n@@\n-shut_file `+plain+`\n+open_file `+plain+`\n*** End Patch"}`, "r 1 ok")
	same(t, "kept", shown(choose(l, linesOnly(200))), "3b:2,5")
}

// A picture in letters is not chosen for what its line says beside it, in pieces neither; a line
// that has a signature of fewer letters than it has words is.
func TestAPictureInLettersIsNotChosen(t *testing.T) {
	data := strings.Repeat("iVBORw0KGgoAAAANSUhEUg62h5bgdff5CF4d44AA3B57c9D0hh8EBG6f4EcD5dch8018Gbf", 4)
	words := strings.Repeat(" loaves of the day, ", 20)
	for line, want := range map[string]string{
		`{"open_file": "` + data + `"}`:                                                                "",
		`{"open_file": "` + words + `", "sum": "` + data + `"}`:                                        "4:1[0-286]",
		`{"sum": "` + strings.Repeat(data, 40) + `"}, {"open_file": "` + data + `"}`:                   "",
		`{"sum": "` + strings.Repeat(data, 40) + `"}, ` + strings.Repeat(words, 2) + `"open_file" end`: "4:1[11501-12188]",
	} {
		l := script(t, "t", "u go", "c 1 Bash {}", "r 1 "+line)
		same(t, line[:30]+"…"+line[len(line)-20:], shown(choose(l, linesOnly(500))), want)
	}
}
