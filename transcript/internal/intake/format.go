package intake

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
