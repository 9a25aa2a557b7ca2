package transcript

import (
	"fmt"
	"strings"
	"testing"

	"tenfold"
)

// describe gives entries one to a line, for tables.
func describe(entries []tenfold.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(describeEntry(e))
		b.WriteByte('\n')
	}
	return b.String()
}

func describeEntry(e tenfold.Entry) string {
	id := e.ID
	if e.Branch != "" {
		id += "@" + e.Branch
	}
	switch p := e.Payload.(type) {
	case tenfold.TurnStart:
		return "turn " + id
	case tenfold.UserMessage:
		kind := "user"
		if p.Synthetic {
			kind = "injected"
		}
		if p.Purpose != tenfold.Request {
			kind = string(p.Purpose)
		}
		return fmt.Sprintf("%s %s %s", kind, id, describeParts(p.Parts))
	case tenfold.AssistantMessage:
		return fmt.Sprintf("assistant %s %s %q", id, e.MessageID, p.Text)
	case tenfold.Reasoning:
		return strings.TrimRight(fmt.Sprintf("reasoning %s %q %s %s%s %s", id, p.Text, p.Provider, p.Signature, p.Encrypted, p.CallID), " ")
	case tenfold.ToolCall:
		return fmt.Sprintf("call %s %s %s %s", id, p.CallID, p.Name, p.Arguments)
	case tenfold.ToolResult:
		kind := "result"
		if p.IsError {
			kind = "failure"
		}
		return strings.TrimRight(fmt.Sprintf("%s %s %s %s", kind, id, p.CallID, describeParts(p.Parts)), " ")
	case tenfold.ProviderItem:
		return fmt.Sprintf("item %s %s %s", id, p.Provider, p.Data)
	case tenfold.Usage:
		return fmt.Sprintf("usage %s %s %s %d/%d/%d/%d", id, e.MessageID, p.Model, p.Input, p.Output, p.CacheRead, p.CacheWrite)
	case tenfold.ConfigDelta:
		system := ""
		if p.System != nil {
			system = fmt.Sprintf(" system=%q", *p.System)
		}
		return fmt.Sprintf("config %s %s%s", id, p.Model, system)
	case tenfold.Approval:
		return strings.TrimRight(fmt.Sprintf("%s %s %s %s", p.State, id, p.CallID, p.Reason), " ")
	case tenfold.Unknown:
		return fmt.Sprintf("unknown %s %s", id, p.Name)
	case tenfold.Compaction:
		to := fmt.Sprint(p.ToTurn)
		if p.ToStep != nil {
			to += fmt.Sprintf(".%d", *p.ToStep)
		}
		s := fmt.Sprintf("compaction %s %d..%s", id, p.FromTurn, to)
		if p.Summary != nil {
			s += fmt.Sprintf(" summary=%q/%s", p.Summary.Text, p.Summary.Placement)
		}
		if p.Reasoning != nil {
			s += " reasoning=" + string(p.Reasoning.Action)
		}
		if t := p.ToolCalls; t != nil {
			s += fmt.Sprintf(" tools=%s/%v/%v/%d", t.Action, t.Request, t.Response, len(t.Calls))
		}
		if p.Turns != "" {
			s += " turns=" + string(p.Turns)
		}
		return s + fmt.Sprintf(" %s %s %d→%d", p.Source, p.Reason, p.TokensBefore, p.TokensAfter)
	}
	return fmt.Sprintf("%T %s", e.Payload, id)
}

func describeParts(parts []tenfold.Part) string {
	var out []string
	for _, p := range parts {
		if p.File == nil {
			out = append(out, fmt.Sprintf("%q", p.Text))
			continue
		}
		out = append(out, "<"+strings.TrimRight(fmt.Sprintf("%s %s%s %s", p.File.Type, p.File.Name, p.File.URI, p.File.Detail), " ")+">")
	}
	return strings.Join(out, " ")
}

// trim takes the indentation off a table's text.
func trim(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func checkTable(t *testing.T, got Collected, entries string, warnings []string) {
	t.Helper()
	if have, want := describe(got.Entries), trim(entries); have != want {
		t.Errorf("entries differ\n got:\n%s\nwant:\n%s", have, want)
	}
	if have, want := strings.Join(got.Warnings, "\n"), strings.Join(warnings, "\n"); have != want {
		t.Errorf("warnings differ\n got:\n%s\nwant:\n%s", have, want)
	}
	checkLaws(t, got)
}
