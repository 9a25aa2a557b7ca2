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
	// OpenAIChat is what OpenAI's Chat Completions API takes and gives.
	OpenAIChat Format = "openai-chat"
	// AnthropicBody is what Anthropic's Messages API takes and gives.
	AnthropicBody Format = "anthropic"
	// GeminiBody is what Gemini's generateContent takes and gives.
	GeminiBody Format = "gemini"
	// GeminiResponses is a recording of Gemini's responses: JSON lines.
	GeminiResponses Format = "gemini-responses"
	// LiteLLM is the log of one call through LiteLLM, as OpenHands keeps it.
	LiteLLM Format = "litellm-log"
	// AgentDojo is a run of AgentDojo.
	AgentDojo Format = "agentdojo"
	// Cline is a task of Cline or Roo: api_conversation_history.json, or
	// *.messages.json.
	Cline Format = "cline"
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
		clineHandler(),
		litellmHandler(),
		agentdojoHandler(),
		geminiResponsesHandler(),
		anthropicHandler(),
		openaiChatHandler(),
		bodyHandler("openai-responses", "OpenAI responses request bodies"),
		geminiHandler(),
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
