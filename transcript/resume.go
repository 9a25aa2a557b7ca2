package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Resume gives the shell commands with which a client goes on with a session
// that was exported to a file, an absolute path: none where no client can. The
// data is the file's. The clients' own releases say which they take: Claude Code
// 2.1, Codex 0.169, opencode 1.18, pi 0.87, Gemini CLI 0.61.
func Resume(format Format, file string, data []byte) []string {
	if h, ok := find(format); ok {
		if r, ok := h.exporter.(resumer); ok {
			return r.resume(file, data)
		}
	}
	return nil
}

// A resumer is an exporter for a client that goes on with what it writes.
type resumer interface {
	resume(file string, data []byte) []string
}

func (claudeExporter) resume(file string, _ []byte) []string {
	return []string{"claude --resume " + shellWord(file)}
}

func (piExporter) resume(file string, _ []byte) []string {
	return []string{"pi --session " + shellWord(file)}
}

func (geminiCLIExporter) resume(file string, _ []byte) []string {
	return []string{"gemini --session-file " + shellWord(file)}
}

func (openCodeExporter) resume(file string, data []byte) []string {
	var session struct {
		Info struct {
			ID string `json:"id"`
		} `json:"info"`
	}
	if json.Unmarshal(data, &session) != nil || !plainID(session.Info.ID) {
		return nil
	}
	return []string{"opencode import " + shellWord(file), "opencode --session " + session.Info.ID}
}

// resume has Codex find the session where it keeps its own: it takes no path.
func (codexExporter) resume(file string, data []byte) []string {
	var meta struct {
		Payload struct {
			ID   string    `json:"id"`
			Time time.Time `json:"timestamp"`
		} `json:"payload"`
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(line, &meta) != nil || !plainID(meta.Payload.ID) {
		return nil
	}
	at := meta.Payload.Time
	dir := "~/.codex/sessions/" + at.Format("2006/01/02")
	name := "rollout-" + at.Format("2006-01-02T15-04-05") + "-" + meta.Payload.ID + ".jsonl"
	return []string{
		"mkdir -p " + dir + " && cp " + shellWord(file) + " " + dir + "/" + name,
		"codex resume " + meta.Payload.ID,
	}
}

// shellWord quotes a text for a POSIX shell where that is needed.
func shellWord(text string) string {
	if plainID(strings.TrimPrefix(strings.ReplaceAll(text, "/", "_"), "_")) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
