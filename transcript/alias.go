package transcript

import (
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
)

type (
	// A Source is a transcript to read, once: [Open] makes one of a file. Its fields
	// are Name, for messages; Reader and Size; Siblings, an fs.FS, for formats of
	// several files; Path, for databases, and Only, the one session of it to read;
	// Progress, called with the bytes read; and Strict, which ends the import at
	// the first damaged record.
	Source = intake.Source
	// A Conversation describes what is imported or exported: its ID, and in Named
	// whether the tool gave it; Title, Format, Created, and the Directory that the tool
	// ran in.
	Conversation = intake.Conversation
	// A Sink takes what an import finds: for each conversation Begin(Conversation),
	// Entry(tenfold.Entry) for each entry in order, which the sink owns, and
	// End(Conversation, warnings []string), now fully described. An error of it ends
	// the import and is returned as it is. Without End a conversation is incomplete,
	// and to be dropped.
	Sink = intake.Sink
	// A Collector is a sink that keeps everything in memory, as Conversations, a
	// []Collected. Its zero value is ready.
	Collector = engine.Collector
	// Collected is one conversation of a [Collector]: a Conversation with its Entries
	// and Warnings.
	Collected = engine.Collected
	// A View is a conversation as it is to be written: a Conversation and its
	// Projection. With Compacted it is what a model sees, else all that was said.
	View = engine.View
	// An Error says what is wrong with a source (Name, Format, Err), where (Line and
	// Column, from 1), and what to try (Hint).
	Error = intake.Error
	// Format names a transcript format as --from and --to spell it.
	Format = intake.Format
)

// The formats of this package.
const (
	// Tenfold is our own format: JSON lines, lossless.
	Tenfold = intake.Tenfold
	// ClaudeCode is the session file of Claude Code: JSON lines.
	ClaudeCode = intake.ClaudeCode
	// Codex is the rollout file of Codex: JSON lines.
	Codex = intake.Codex
	// OpenAIResponses is the body of a request to OpenAI's Responses API, or of
	// its response, or the events of a response.
	OpenAIResponses = intake.OpenAIResponses
	// JP is the events.json, or the older messages.json, of a JP conversation.
	JP = intake.JP
	// OpenCode is a session of opencode: its export JSON, or its database.
	OpenCode = intake.OpenCode
	// Crush is the database of crush.
	Crush = intake.Crush
	// Pi is the session file of pi: JSON lines.
	Pi = intake.Pi
	// GeminiCLI is the chat file of Gemini CLI: one object, or JSON lines.
	GeminiCLI = intake.GeminiCLI
	// QwenCode is the chat file of Qwen Code: JSON lines.
	QwenCode = intake.QwenCode
	// CopilotCLI is the events.jsonl of GitHub Copilot CLI.
	CopilotCLI = intake.CopilotCLI
	// OpenAIChat is what OpenAI's Chat Completions API takes and gives.
	OpenAIChat = intake.OpenAIChat
	// AnthropicBody is what Anthropic's Messages API takes and gives.
	AnthropicBody = intake.AnthropicBody
	// GeminiBody is what Gemini's generateContent takes and gives.
	GeminiBody = intake.GeminiBody
	// GeminiResponses is a recording of Gemini's responses: JSON lines.
	GeminiResponses = intake.GeminiResponses
	// LiteLLM is the log of one call through LiteLLM, as OpenHands keeps it.
	LiteLLM = intake.LiteLLM
	// AgentDojo is a run of AgentDojo.
	AgentDojo = intake.AgentDojo
	// Cline is a task of Cline or Roo: api_conversation_history.json, or
	// *.messages.json.
	Cline = intake.Cline
	// SWEAgent is a trajectory of SWE-agent or mini-swe-agent.
	SWEAgent = intake.SWEAgent
	// OpenHands is the event log of OpenHands: JSON lines, an array, or a
	// directory of events beside a base_state.json.
	OpenHands = intake.OpenHands
	// InspectEval is the JSON log of an Inspect evaluation.
	InspectEval = intake.InspectEval
	// WhoAndWhen is a multi-agent log of the Who&When benchmark.
	WhoAndWhen = intake.WhoAndWhen
	// LoCoMo is a file of the LoCoMo benchmark: long talks of two people.
	LoCoMo = intake.LoCoMo
	// Aider is the chat history of Aider: Markdown.
	Aider = intake.Aider
	// SpecStory is a session that SpecStory wrote down: Markdown.
	SpecStory = intake.SpecStory
	// Plain is text in which each speech begins with "User:" or the like.
	Plain = intake.Plain
	// Markdown is a conversation for people to read; it is only written.
	Markdown = intake.Markdown
)
