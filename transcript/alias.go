package transcript

import "tenfold/transcript/internal/engine"

type (
	// A Source is a transcript to read, once.
	Source = engine.Source
	// A Conversation describes what is imported or exported.
	Conversation = engine.Conversation
	// A Sink takes what an import finds.
	Sink = engine.Sink
	// A Collector is a sink that keeps everything in memory.
	Collector = engine.Collector
	// Collected is one conversation of a [Collector].
	Collected = engine.Collected
	// A View is a conversation as it is to be written.
	View = engine.View
	// An Error says what is wrong with a source, where, and what to try.
	Error = engine.Error
	// Format names a transcript format as --from and --to spell it.
	Format = engine.Format
)

// The formats of this package.
const (
	// Tenfold is our own format: JSON lines, lossless.
	Tenfold = engine.Tenfold
	// ClaudeCode is the session file of Claude Code: JSON lines.
	ClaudeCode = engine.ClaudeCode
	// Codex is the rollout file of Codex: JSON lines.
	Codex = engine.Codex
	// OpenAIResponses is the body of a request to OpenAI's Responses API, or of
	// its response, or the events of a response.
	OpenAIResponses = engine.OpenAIResponses
	// JP is the events.json, or the older messages.json, of a JP conversation.
	JP = engine.JP
	// OpenCode is a session of opencode: its export JSON, or its database.
	OpenCode = engine.OpenCode
	// Crush is the database of crush.
	Crush = engine.Crush
	// Pi is the session file of pi: JSON lines.
	Pi = engine.Pi
	// GeminiCLI is the chat file of Gemini CLI: one object, or JSON lines.
	GeminiCLI = engine.GeminiCLI
	// QwenCode is the chat file of Qwen Code: JSON lines.
	QwenCode = engine.QwenCode
	// CopilotCLI is the events.jsonl of GitHub Copilot CLI.
	CopilotCLI = engine.CopilotCLI
	// OpenAIChat is what OpenAI's Chat Completions API takes and gives.
	OpenAIChat = engine.OpenAIChat
	// AnthropicBody is what Anthropic's Messages API takes and gives.
	AnthropicBody = engine.AnthropicBody
	// GeminiBody is what Gemini's generateContent takes and gives.
	GeminiBody = engine.GeminiBody
	// GeminiResponses is a recording of Gemini's responses: JSON lines.
	GeminiResponses = engine.GeminiResponses
	// LiteLLM is the log of one call through LiteLLM, as OpenHands keeps it.
	LiteLLM = engine.LiteLLM
	// AgentDojo is a run of AgentDojo.
	AgentDojo = engine.AgentDojo
	// Cline is a task of Cline or Roo: api_conversation_history.json, or
	// *.messages.json.
	Cline = engine.Cline
	// SWEAgent is a trajectory of SWE-agent or mini-swe-agent.
	SWEAgent = engine.SWEAgent
	// OpenHands is the event log of OpenHands: JSON lines, an array, or a
	// directory of events beside a base_state.json.
	OpenHands = engine.OpenHands
	// InspectEval is the JSON log of an Inspect evaluation.
	InspectEval = engine.InspectEval
	// WhoAndWhen is a multi-agent log of the Who&When benchmark.
	WhoAndWhen = engine.WhoAndWhen
	// LoCoMo is a file of the LoCoMo benchmark: long talks of two people.
	LoCoMo = engine.LoCoMo
	// Aider is the chat history of Aider: Markdown.
	Aider = engine.Aider
	// SpecStory is a session that SpecStory wrote down: Markdown.
	SpecStory = engine.SpecStory
	// Plain is text in which each speech begins with "User:" or the like.
	Plain = engine.Plain
	// Markdown is a conversation for people to read; it is only written.
	Markdown = engine.Markdown
)
