package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenfold/test/modelserver"
)

// unattended makes of a command that a person types one that needs nobody: it
// goes on with a prompt and ends.
func unattended(c Client, command string) string {
	flags := strings.Join(c.resume(Session{}, "'"+prompt+"'"), " ")
	switch c.Name {
	case "claude-code", "pi":
		flags = strings.Replace(strings.Replace(flags, "--resume ", "", 1), "--session ", "", 1)
	case "codex":
		command = strings.Replace(command, "codex resume", "codex exec resume", 1)
		flags = strings.TrimPrefix(flags, "exec resume")
	case "opencode":
		command = strings.Replace(command, "opencode", "opencode run", 1)
		flags = strings.TrimSuffix(strings.TrimPrefix(flags, "run"), "--session ")
	case "gemini-cli":
		flags = strings.Replace(flags, "--resume latest", "", 1)
	}
	return command + " " + flags
}

// resumedAsPrinted holds that the commands which are printed with a compacted
// file have the client go on with it.
func resumedAsPrinted(t *testing.T, p *Place, id string) {
	q := p.again(t, p.Client)
	file := filepath.Join(filepath.Dir(q.Home), "a short one.jsonl")
	p.tenfold("conversation", "compact", id, "--keep", "0")
	defer p.tenfold("conversation", "undo", id, "--all")
	out, _ := p.tenfold("conversation", "export", id, "--compacted", "--json", "--out", file, "--to", p.Client.Name)
	var report struct {
		Resume []string `json:"resume"`
	}
	if err := unmarshalFirst(out, &report); err != nil || len(report.Resume) == 0 {
		t.Fatalf("nothing says how to go on: %v\n%s", err, out)
	}
	for i, command := range report.Resume {
		if i == len(report.Resume)-1 {
			command = unattended(p.Client, command)
		}
		if said, err := q.start("/bin/sh", prompt, "-c", command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
	}
	body, _ := p.tenfold("conversation", "export", id, "--to", string(p.Client.Wire), "--compacted")
	r, problem := modelserver.Read(p.Client.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	same(t, append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt}), History(q.last(), false))
}

// resumedHere holds that "tenfold resume" puts a compacted copy of the newest
// session where the client finds it, that the commands it prints go on with that,
// and that the original stays as it was.
func resumedHere(t *testing.T, p *Place, session Session, id string) {
	before := ""
	if session.Path != "" {
		before = p.read(session.Path)
	}
	out, _ := p.tenfold("resume", p.Client.Name, "--json")
	defer p.tenfold("conversation", "undo", id, "--all")
	var report struct {
		Conversation string   `json:"conversation"`
		Path         string   `json:"path"`
		Resume       []string `json:"resume"`
	}
	if err := unmarshalFirst(out, &report); err != nil || len(report.Resume) == 0 || report.Conversation != id {
		t.Fatalf("it is not the session that was made: %v\n%s", err, out)
	}
	if report.Path == session.Path || strings.Contains(strings.Join(report.Resume, " "), session.ID) {
		t.Fatalf("it is not a session of its own: %s", out)
	}
	if report.Path != "" {
		defer os.Remove(report.Path) // "latest" is to be the original again
	}
	for i, command := range report.Resume {
		if i == len(report.Resume)-1 {
			command = unattended(p.Client, command)
		}
		if said, err := p.start("/bin/sh", prompt, "-c", command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
	}
	body, _ := p.tenfold("conversation", "export", id, "--to", string(p.Client.Wire), "--compacted")
	r, problem := modelserver.Read(p.Client.Wire, []byte(body))
	if problem != nil {
		t.Fatalf("the body would be refused: %v", problem)
	}
	same(t, append(History(r, false), Line{Role: "user", Kind: "text", Text: prompt}), History(p.last(), false))
	if session.Path != "" && p.read(session.Path) != before {
		t.Error("the original was changed")
	}
}
