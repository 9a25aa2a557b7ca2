package recall

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/problem"
)

// Instructions tell a model when to use recall, as a skill file: a name and a
// description above, at most 15 lines. A client that knows skills shows the model the
// description, and the rest when the model asks for it.
//
//go:embed SKILL.md
var Instructions string

//go:embed SHELL.md
var shell string

// ShellInstructions are [Instructions] for a client without MCP, whose model runs the
// binary: they name no tool that is not there.
func ShellInstructions(binary string) string {
	const line = "---\n"
	end := strings.Index(Instructions[len(line):], line) + 2*len(line)
	return Instructions[:end] + strings.ReplaceAll(shell, "tenfold recall ", word(binary)+" recall ")
}

// SkillName is the name of the skill, and of the directory its file lies in.
const SkillName = "tenfold-recall"

// A Registration says how a client learns of the server: a member of one of its
// configuration files.
type Registration struct {
	// Client is the client's name on the command line, Path the file below the
	// person's home directory, with "/" between the parts.
	Client, Path string
	// At names the member by the keys that lead to it from the root, and Value is what
	// it is to be, as JSON. Both are empty for a file that is not JSON.
	At    []string
	Value string
	// Text is what to put into the file, as it is written there.
	Text string
	// Command does it instead, where the client has a command for it.
	Command string
}

// Clients lists the clients whose registration is known.
func Clients() []string { return []string{"claude-code", "codex", "gemini-cli", "opencode", "pi"} }

// Register says how a client learns of the server of this binary. It is the
// person's own configuration, for all projects. The store is the one that the
// client's environment names.
func Register(client, binary string) (Registration, error) {
	quoted, _ := jsontext.AppendQuote(nil, binary)
	local := `{"command":` + string(quoted) + `,"args":["mcp"]}`
	r := Registration{Client: client, At: []string{"mcpServers", Name}, Value: local}
	switch client {
	case "claude-code":
		r.Path, r.Command = ".claude.json", "claude mcp add --scope user "+Name+" -- "+word(binary)+" mcp"
	case "gemini-cli":
		r.Path, r.Command = ".gemini/settings.json", "gemini mcp add --scope user "+Name+" "+word(binary)+" mcp"
	case "opencode":
		r.Path, r.At = ".config/opencode/opencode.json", []string{"mcp", Name}
		r.Value = `{"type":"local","command":[` + string(quoted) + `,"mcp"],"enabled":true}`
	case "codex":
		r.Path, r.At, r.Value = ".codex/config.toml", nil, ""
		r.Text = "[mcp_servers." + Name + "]\ncommand = " + string(quoted) + "\nargs = [\"mcp\"]\n"
		r.Command = "codex mcp add " + Name + " -- " + word(binary) + " mcp"
		return r, nil
	case "pi":
		return Registration{}, &problem.Error{
			Code: "no_mcp", Subject: client, Problem: "this client has no MCP", Hint: "its model has a shell: it can run tenfold recall",
		}
	default:
		hint := cmp.Or(problem.DidYouMean(client, Clients()), "known clients: "+strings.Join(Clients(), ", "))
		return Registration{}, &problem.Error{Code: "usage", Usage: true, Problem: "unknown client " + strconv.Quote(client), Hint: hint}
	}
	text := jsontext.Value(r.Value)
	for _, key := range slices.Backward(r.At) {
		name, _ := jsontext.AppendQuote(nil, key)
		text = jsontext.Value("{" + string(name) + ":" + string(text) + "}")
	}
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return Registration{}, err
	}
	r.Text = string(text) + "\n"
	return r, nil
}

// word quotes a path for a shell, where it needs it.
func word(text string) string {
	if strings.Trim(filepath.ToSlash(text), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
