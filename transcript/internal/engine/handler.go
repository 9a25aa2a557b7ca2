package engine

// Format names a transcript format as --from and --to spell it.
type Format string

// The formats; what each is stands with its public name in package transcript.
const (
	Tenfold         Format = "tenfold"
	ClaudeCode      Format = "claude-code"
	Codex           Format = "codex"
	OpenAIResponses Format = "openai-responses"
	JP              Format = "jp"
	OpenCode        Format = "opencode"
	Crush           Format = "crush"
	Pi              Format = "pi"
	GeminiCLI       Format = "gemini-cli"
	QwenCode        Format = "qwen-code"
	CopilotCLI      Format = "copilot-cli"
	OpenAIChat      Format = "openai-chat"
	AnthropicBody   Format = "anthropic"
	GeminiBody      Format = "gemini"
	GeminiResponses Format = "gemini-responses"
	LiteLLM         Format = "litellm-log"
	AgentDojo       Format = "agentdojo"
	Cline           Format = "cline"
	SWEAgent        Format = "swe-agent-traj"
	OpenHands       Format = "openhands-events"
	InspectEval     Format = "inspect-eval"
	WhoAndWhen      Format = "who-and-when"
	LoCoMo          Format = "locomo"
	Aider           Format = "aider-md"
	SpecStory       Format = "specstory-md"
	Plain           Format = "plain-transcript"
	Markdown        Format = "markdown"
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
