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
	// SWEAgent is a trajectory of SWE-agent or mini-swe-agent.
	SWEAgent Format = "swe-agent-traj"
	// OpenHands is the event log of OpenHands: JSON lines, an array, or a
	// directory of events beside a base_state.json.
	OpenHands Format = "openhands-events"
	// InspectEval is the JSON log of an Inspect evaluation.
	InspectEval Format = "inspect-eval"
	// WhoAndWhen is a multi-agent log of the Who&When benchmark.
	WhoAndWhen Format = "who-and-when"
	// LoCoMo is a file of the LoCoMo benchmark: long talks of two people.
	LoCoMo Format = "locomo"
	// Aider is the chat history of Aider: Markdown.
	Aider Format = "aider-md"
	// SpecStory is a session that SpecStory wrote down: Markdown.
	SpecStory Format = "specstory-md"
	// Plain is text in which each speech begins with "User:" or the like.
	Plain Format = "plain-transcript"
	// Markdown is a conversation for people to read; it is only written.
	Markdown Format = "markdown"
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
		sweAgentHandler(),
		openHandsHandler(),
		inspectHandler(),
		whoAndWhenHandler(),
		locomoHandler(),
		aiderHandler(),
		specStoryHandler(),
		plainHandler(),
		markdownHandler(),
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
