package excerpt_test

import "testing"

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
