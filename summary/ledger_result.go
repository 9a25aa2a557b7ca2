package summary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
)

// saidIn joins the texts of a content.
func saidIn(parts []tenfold.Part) string {
	if len(parts) == 1 {
		return parts[0].Text
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// outcome is how a call ended.
type outcome struct {
	failed bool
	// exit is the exit code, if told.
	exit int
	told bool
	// text is the output, without what only tells the exit code.
	text string
}

// exitWords tell the exit code, if it is known.
func (o outcome) exitWords() string {
	if !o.told {
		return ""
	}
	return fmt.Sprintf(", exit code %d", o.exit)
}

// outcomeOf reads how a command ended off its result: what the agent says of
// it, and the exit code in the forms in which agents put it into the text.
func outcomeOf(r tenfold.ToolResult) outcome {
	o := outcome{failed: r.IsError, text: saidIn(r.Parts)}
	if text, exit, ok := wrapped(o.text); ok {
		o.text, o.exit, o.told = text, exit, true
	} else {
		o.exit, o.told = exitCode(o.text)
	}
	o.failed = o.failed || (o.told && o.exit != 0)
	return o
}

// wrapped reads {"output":"…","metadata":{"exit_code":0}}.
func wrapped(text string) (output string, exit int, ok bool) {
	if !strings.HasPrefix(text, `{"output":`) || !strings.Contains(text, `"exit_code":`) {
		return "", 0, false
	}
	var w struct {
		Output   string `json:"output"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &w, jsontext.AllowInvalidUTF8(true)) != nil || w.Metadata.Exit == nil {
		return "", 0, false
	}
	return w.Output, *w.Metadata.Exit, true
}

// exitPhrases is how agents begin a line that tells an exit code.
var exitPhrases = []string{
	"exit code", "exited with exit code", "exited with code", "process exited with code", "command exited with code",
	"command finished with exit code", "the command completed with exit code", "exit status",
}

// exitCode finds the exit code in the first or last lines of an output. Only
// lines that begin by telling it count.
func exitCode(text string) (code int, told bool) {
	for range 6 {
		line, rest, more := strings.Cut(text, "\n")
		if code, told = exitIn(line); told || !more {
			return code, told
		}
		text = rest
	}
	text = strings.TrimRight(text, " \r\n")
	for range 3 {
		at := strings.LastIndexByte(text, '\n')
		if code, told = exitIn(text[at+1:]); told || at < 0 {
			return code, told
		}
		text = text[:at]
	}
	return 0, false
}

func exitIn(line string) (code int, told bool) {
	line = strings.TrimLeft(line, " \t<[(")
	if line == "" || strings.IndexByte("eEpPcCtT", line[0]) < 0 {
		return 0, false
	}
	for _, phrase := range exitPhrases {
		if len(line) <= len(phrase) || !strings.EqualFold(line[:len(phrase)], phrase) {
			continue
		}
		number := strings.TrimLeft(line[len(phrase):], " :=")
		end := 0
		for end < len(number) && (number[end] >= '0' && number[end] <= '9' || (end == 0 && number[end] == '-')) {
			end++
		}
		code, err := strconv.Atoi(number[:end])
		return code, err == nil
	}
	return 0, false
}

// lineLength is how many characters of a tool's line are quoted.
const lineLength = 200

// linesOf gives up to n lines of an output that say something, from the front,
// or from the end backwards. Blank lines, fences and the agent's own word on how
// the command ended say nothing.
func linesOf(text string, n int, fromEnd bool) (lines []string) {
	for len(lines) < n && text != "" {
		var line string
		if fromEnd {
			at := strings.LastIndexByte(text, '\n')
			text, line = text[:max(at, 0)], text[at+1:]
		} else {
			line, text, _ = strings.Cut(text, "\n")
		}
		line = strings.TrimSpace(line)
		_, told := exitIn(line)
		if !told && line != "" && !strings.HasPrefix(line, "```") && !slices.ContainsFunc(preamble, func(p string) bool { return strings.HasPrefix(line, p) }) {
			lines = append(lines, clip(line, lineLength))
		}
	}
	return lines
}

// preamble is how lines begin that agents put in front of an output.
var preamble = []string{"Output:", "Wall time:", "Chunk ID:", "Original token count:", "Total output lines:"}
