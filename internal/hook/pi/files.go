package pi

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/hook"
	"tenfold/internal/recall"
)

//go:embed adapter.ts
var adapter string

// skill is what a model is told of recall: pi has no MCP, so that its model runs
// the command.
//
//go:embed skill.md
var skill string

var (
	adapterTemplate = template.Must(template.New("adapter").Parse(adapter))
	skillTemplate   = template.Must(template.New("skill").Parse(skill))
)

// Limits of the adapter.
const (
	// slow is a little more than Tenfold itself allows for.
	slow = 15 * time.Second
	// large is how many characters a tool's result has that may be too large. Most
	// are smaller, and are not to wait for a process.
	large = 16 << 10
)

// Files implements [hook.Client].
func (Client) Files(p hook.Place) ([]hook.File, error) {
	dir := filepath.Join(p.Dir, ".pi")
	if p.Scope == hook.User {
		if dir = p.Getenv("PI_CODING_AGENT_DIR"); dir == "" {
			dir = filepath.Join(p.Home, ".pi", "agent")
		}
	}
	skillFile := filepath.Join(dir, "skills", recall.SkillName, "SKILL.md")
	var code, text bytes.Buffer
	text.WriteString(frontMatter(recall.Instructions))
	if err := skillTemplate.Execute(&text, map[string]string{"Command": shellWord(p.Binary)}); err != nil {
		return nil, err
	}
	binary, err := jsontext.AppendQuote(nil, p.Binary)
	if err != nil {
		return nil, err
	}
	skillPath, err := jsontext.AppendQuote(nil, skillFile)
	if err != nil {
		return nil, err
	}
	values := map[string]any{"Binary": string(binary), "Skill": string(skillPath), "Slow": slow.Milliseconds(), "Large": large}
	if err := adapterTemplate.Execute(&code, values); err != nil {
		return nil, err
	}
	return []hook.File{
		{Path: filepath.Join(dir, "extensions", "tenfold.ts"), Content: code.Bytes()},
		{Path: skillFile, Content: text.Bytes()},
	}, nil
}

// frontMatter is the head of a skill's file: its name and what it is for.
func frontMatter(text string) string {
	const line = "---\n"
	end := strings.Index(text[len(line):], line)
	return text[:len(line)+end+len(line)]
}

// shellWord quotes a path for the shell that a model has.
func shellWord(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
