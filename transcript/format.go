package transcript

import (
	"slices"
	"strings"
)

// Format names a transcript format as --from and --to spell it.
type Format string

// The formats of this package.
const (
	// Tenfold is our own format: JSON lines, lossless.
	Tenfold Format = "tenfold"
	// ClaudeCode is the session file of Claude Code: JSON lines.
	ClaudeCode Format = "claude-code"
	// JP is the events.json, or the older messages.json, of a JP conversation.
	JP Format = "jp"
	// Pi is the session file of pi: JSON lines.
	Pi Format = "pi"
	// GeminiCLI is the chat file of Gemini CLI: one object, or JSON lines.
	GeminiCLI Format = "gemini-cli"
	// CopilotCLI is the events.jsonl of GitHub Copilot CLI.
	CopilotCLI Format = "copilot-cli"
)

// FormatInfo says what can be done with a format.
type FormatInfo struct {
	Format Format
	// About is one line for a listing.
	About string
	// Import and Export say whether it can be read and written.
	Import, Export bool
}

// A handler is what the package can do with one format.
type handler struct {
	format   Format
	about    string
	importer Importer // nil when it cannot be read
	exporter Exporter // nil when it cannot be written
	// homes are the directories in which the tool keeps its sessions, below
	// the user's home directory, with "/" between the parts.
	homes []string
}

// handlers lists what the package can do, in the order in which a listing
// shows it; a function, for nothing here is global state. Each format's
// handler stands beside its importer.
func handlers() []handler {
	return []handler{
		tenfoldHandler(),
		claudeHandler(),
		jpHandler(),
		piHandler(),
		geminiHandler(),
		copilotHandler(),
		bodyHandler("anthropic", "Anthropic request bodies"),
		bodyHandler("openai-chat", "OpenAI chat request bodies"),
		bodyHandler("openai-responses", "OpenAI responses request bodies"),
		bodyHandler("gemini", "Gemini request bodies"),
	}
}

// Formats lists the formats this package knows, in the order in which a
// listing shows them.
func Formats() []FormatInfo {
	var infos []FormatInfo
	for _, h := range handlers() {
		infos = append(infos, FormatInfo{Format: h.format, About: h.about, Import: h.importer != nil, Export: h.exporter != nil})
	}
	return infos
}

// find gives the handler of a format.
func find(f Format) (handler, bool) {
	all := handlers()
	i := slices.IndexFunc(all, func(h handler) bool { return h.format == f })
	if i < 0 {
		return handler{}, false
	}
	return all[i], true
}

// named lists the formats that a condition holds for, for a message.
func named(wanted func(FormatInfo) bool) string {
	var names []string
	for _, f := range Formats() {
		if wanted(f) {
			names = append(names, string(f.Format))
		}
	}
	return strings.Join(names, ", ")
}

func knownFormats() string { return named(func(f FormatInfo) bool { return f.Import }) }
