package engine

// Format names a transcript format as --from and --to spell it.
type Format string

// The formats of this package.
const (
	// Tenfold is our own format: JSON lines, lossless.
	Tenfold Format = "tenfold"
	// ClaudeCode is the session file of Claude Code: JSON lines.
	ClaudeCode Format = "claude-code"
	// Codex is the rollout file of Codex: JSON lines.
	Codex Format = "codex"
	// OpenAIResponses is the body of a request to OpenAI's Responses API, or of
	// its response, or the events of a response.
	OpenAIResponses Format = "openai-responses"
	// JP is the events.json, or the older messages.json, of a JP conversation.
	JP Format = "jp"
	// OpenCode is a session of opencode: its export JSON, or its database.
	OpenCode Format = "opencode"
	// Crush is the database of crush.
	Crush Format = "crush"
	// Pi is the session file of pi: JSON lines.
	Pi Format = "pi"
	// GeminiCLI is the chat file of Gemini CLI: one object, or JSON lines.
	GeminiCLI Format = "gemini-cli"
	// QwenCode is the chat file of Qwen Code: JSON lines.
	QwenCode Format = "qwen-code"
	// CopilotCLI is the events.jsonl of GitHub Copilot CLI.
	CopilotCLI Format = "copilot-cli"
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

// A Handler is what the package can do with one format.
type Handler struct {
	Format   Format
	About    string
	Importer Importer // nil when it cannot be read
	Exporter Exporter // nil when it cannot be written
	// Homes are the directories in which the tool keeps its sessions, below
	// the user's home directory, with "/" between the parts.
	Homes []string
	// HomeEnv names the environment variable that, when set, stands for the
	// first part of each home, or for homeBase where that is more.
	HomeEnv, HomeBase string
	// Sessions are the patterns of the tool's session files below its homes, as
	// of [path.Match]. A file that is part of another (Part) is none.
	Sessions []string
	// Ran are the members of a record that hold the directory in which a session
	// ran, each the names on the way to it.
	Ran [][]string
	// RanIn reads that directory off what lies beside a session's file; may be
	// nil.
	RanIn func(path string) string
	// Agent reports whether a session was started by another one, from the
	// beginning of its file; may be nil.
	Agent func(head []byte) bool
	// Mains are files that stand for the whole directory they lie in.
	Mains []string
	// Part reports whether a file is read with another one, and is no
	// transcript of its own when a directory is searched; may be nil.
	Part func(path string) bool
}
