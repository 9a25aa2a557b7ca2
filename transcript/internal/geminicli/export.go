package geminicli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold"
	"tenfold/body"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

type (
	geminiCLIHeadOut struct {
		Session string `json:"sessionId"`
		Project string `json:"projectHash"`
		Started string `json:"startTime"`
		Updated string `json:"lastUpdated"`
		Kind    string `json:"kind"`
	}
	geminiCLIMessageOut struct {
		ID      string           `json:"id"`
		Time    string           `json:"timestamp"`
		Type    string           `json:"type"`
		Content []jsontext.Value `json:"content"`
		Model   string           `json:"model,omitzero"`
	}
)

// export writes a chat that Gemini CLI resumes: a line about the
// session, and a line for each content of the request that the model is to be
// sent. The client takes parts over as they stand when calls are among them
// (release 0.61, convertSessionToClientHistory), so what it sends is the view.
func export(w io.Writer, v engine.View) ([]string, error) {
	shown, err := v.Shown()
	if err != nil {
		return nil, err
	}
	body, err := body.Gemini().Write(shown)
	if err != nil {
		return nil, err
	}
	var request struct {
		Contents []struct {
			Role  string           `json:"role"`
			Parts []jsontext.Value `json:"parts"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	session := intake.UUIDOf(v.ID, "session")
	project := sha256.Sum256([]byte(v.ID))
	started := v.Created.UTC().Format(time.RFC3339Nano)
	out := engine.NewOut(w)
	out.JSON(geminiCLIHeadOut{
		Session: session, Project: hex.EncodeToString(project[:]), Started: started, Updated: started, Kind: "main",
	})
	for i, c := range request.Contents {
		parts := slices.DeleteFunc(c.Parts, isSessionContext)
		if text := shown.Continuation(); i == 0 && text != "" {
			// The client brings a system prompt of its own (P4).
			parts = slices.Insert(parts, 0, jsontext.Value(out.Marshal(map[string]string{"text": text})))
		}
		if len(parts) == 0 {
			continue
		}
		m := geminiCLIMessageOut{ID: intake.UUIDOf(v.ID, fmt.Sprint("content ", i)), Time: started, Type: "user", Content: parts}
		if c.Role == "model" {
			m.Type, m.Model = "gemini", shown.Config().Model
		}
		out.JSON(m)
	}
	return geminiCLILosses(v, shown), out.Done()
}

// isSessionContext tells whether a part is the context that the client puts
// first in every session: it makes its own when it resumes, and would take a
// message that begins with an old one for nothing but that.
func isSessionContext(part jsontext.Value) bool {
	var text struct {
		Text string `json:"text"`
	}
	return json.Unmarshal(part, &text) == nil && isContextText(text.Text)
}

func isContextText(text string) bool { return strings.HasPrefix(text, "<session_context>") }

// geminiCLILosses says what a chat has no place for.
func geminiCLILosses(v engine.View, shown *tenfold.Projection) []string {
	var lost intake.Warnings
	for e := range v.Projection.Log().Entries() {
		visible := e.Payload.Kind().Visible()
		if e.Branch != "" {
			if visible {
				lost.NoForm(e, intake.GeminiCLI)
			}
			continue
		}
		if !v.Compacted && visible && !e.Time.IsZero() && !e.Time.Equal(v.Created) {
			lost.Add(0, "time of an entry is left out", "times of entries are left out")
		}
		left := !v.Compacted
		switch p := e.Payload.(type) {
		case tenfold.Compaction, tenfold.CompactionRevoked, tenfold.Usage:
		case tenfold.ConfigDelta:
			left = left && (p.System != nil || p.Tools != nil)
		case tenfold.ProviderItem:
			left = p.Provider != "gemini"
		case tenfold.Approval:
			left = true
		default:
			left = false
		}
		if left {
			lost.NoForm(e, intake.GeminiCLI)
		}
	}
	for e := range shown.Entries() {
		if _, ok := e.Payload.(tenfold.Reasoning); ok {
			lost.Add(0, "reasoning may be left out: Gemini takes back only signatures of its own", "reasoning blocks may be left out: Gemini takes back only signatures of its own")
		}
	}
	return lost.Text()
}

// client is Gemini CLI.
var client = engine.Client{
	Program: "gemini",
	Resume: func(file string, _ []byte) []string {
		return []string{"gemini --session-file " + engine.ShellWord(file)}
	},
	Keep: keep,
	Continue: func(_ string, data []byte) [][]string {
		return [][]string{{"gemini", "--resume", headOf(data).Session}}
	},
}

// keep says where a chat lies: those of a project lie in one directory.
func keep(original string, data []byte) string {
	head := headOf(data)
	const short = 8
	if len(head.Session) < short || !intake.PlainID(head.Session) {
		return ""
	}
	began := engine.ReadTime(head.Started).Format("2006-01-02T15-04")
	return filepath.Join(filepath.Dir(original), "session-"+began+"-"+head.Session[:short]+".jsonl")
}

// headOf is what the first line says of the session.
func headOf(data []byte) (head geminiCLIHeadOut) {
	if !engine.ReadFirst(data, &head) {
		return geminiCLIHeadOut{}
	}
	return head
}
