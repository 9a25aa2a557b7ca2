package config

import "tenfold"

// Config is the whole configuration. The tags of a field hold its key, its
// description, and an example of its value (eg); the schema, the output of "config
// show" and the errors are made from them. The tag one lists the words that a
// value may be. A table whose first key is policy may be written as that policy
// alone.
//
// A field tagged open may be set by a workspace's file before it is trusted; all
// others, including new ones, may not (see [Trust]).
type Config struct {
	Model        Model               `json:"model,omitzero" jsonschema:"The model that answers."`
	Conversation Conversation        `json:"conversation,omitzero" jsonschema:"How conversations are kept and compacted."`
	Providers    map[string]Provider `json:"providers,omitempty" jsonschema:"How to reach models, by provider name. Built in: anthropic, openai, gemini and ollama."`
	Agent        Agent               `json:"agent,omitzero" jsonschema:"The agent of \"tenfold query\": its instructions, limits and permissions."`
	Models       map[string]Limits   `json:"models,omitempty" jsonschema:"Limits of models, by name; they override the built-in table."`
}

// Model is the table model.
type Model struct {
	Name ModelName `json:"name,omitempty" jsonschema:"The model, as PROVIDER/MODEL." eg:"\"anthropic/claude-sonnet-5-5\""`
}

// Conversation is the table conversation.
type Conversation struct {
	Counter    string          `json:"counter,omitempty" one:"o200k_base cl100k_base chars/4" jsonschema:"What counts the tokens of new entries; those of earlier entries stay as they are." eg:"\"o200k_base\""`
	Compaction Compaction      `json:"compaction,omitzero" jsonschema:"How conversations are compacted."`
	Tools      map[string]Tool `json:"tools,omitempty" jsonschema:"Settings of single tools, by tool name."`
}

// Compaction is the table conversation.compaction.
type Compaction struct {
	DefaultProfile     string             `json:"default_profile,omitempty" jsonschema:"Profile to use when none is named." eg:"\"default\"" open:"yes"`
	KeepLast           Count              `json:"keep_last,omitempty" jsonschema:"Number of turns to keep at the end." eg:"3" open:"yes"`
	KeepTokens         Tokens             `json:"keep_tokens,omitempty" jsonschema:"Most tokens to keep at the end; \"off\" sets no limit." eg:"\"20k\"" open:"yes"`
	SummarizeThreshold Share              `json:"summarize_threshold,omitempty" jsonschema:"The strategy auto summarizes when more than this share of the model's window remains in use." eg:"0.5"`
	Fork               bool               `json:"fork,omitempty" jsonschema:"Compact a fork and leave the conversation as it is." eg:"true"`
	Strategy           Strategies         `json:"strategy,omitempty" jsonschema:"Strategies to use instead of the default profile, in order: a list, or text separated by spaces." eg:"\"auto\"" open:"yes"`
	SummarizerModel    ModelName          `json:"summarizer_model,omitempty" jsonschema:"Model that writes summaries when the profile names none." eg:"\"anthropic/claude-haiku-4-5\""`
	SessionDir         string             `json:"session_dir,omitempty" jsonschema:"Directory for transcripts and artifacts; defaults to a directory beside the store." eg:"\"\""`
	Profiles           map[string]Profile `json:"profiles,omitempty" jsonschema:"Named sets of policies."`
	Micro              Micro              `json:"micro,omitzero" jsonschema:"The strategy micro."`
	Auto               Auto               `json:"auto,omitzero" jsonschema:"Automatic compaction."`
	Hook               Hook               `json:"hook,omitzero" jsonschema:"Plug-ins of running agents."`
	ProtectedTurns     any                `json:"protected_turns,omitempty" jsonschema:"No longer used; see keep_last." deprecated:"use keep_last"`
	CooldownSeconds    any                `json:"cooldown_seconds,omitempty" jsonschema:"No longer used." deprecated:"remove it"`
}

// Profile is the table conversation.compaction.profiles.NAME.
type Profile struct {
	Reasoning   Policy    `json:"reasoning,omitzero" jsonschema:"What to do with reasoning." eg:"\"strip\"" open:"yes"`
	ToolCalls   ToolCalls `json:"tool_calls,omitzero" jsonschema:"What to do with tool calls and their results." eg:"\"strip\"" open:"yes"`
	Attachments Policy    `json:"attachments,omitzero" jsonschema:"What to do with attachments." eg:"\"strip\"" open:"yes"`
	Turns       Turns     `json:"turns,omitzero" jsonschema:"What to do with whole turns." eg:"\"omit\"" open:"yes"`
	Summary     Summary   `json:"summary,omitzero" jsonschema:"A summary that replaces the turns." eg:"\"summarize\"" open:"yes"`
	Fit         FitTarget `json:"fit,omitempty" jsonschema:"Target size, reached by choosing lines: \"10%\" of the conversation, or \"20k\" tokens. The other keys of the profile then have no effect." eg:"\"10%\"" open:"yes"`
}

// Micro is the table conversation.compaction.micro.
type Micro struct {
	Enabled      bool     `json:"enabled,omitempty" jsonschema:"Clear old results in live conversations, before each request." eg:"true" open:"yes"`
	KeepRecent   Count    `json:"keep_recent,omitempty" jsonschema:"Number of newest results to keep." eg:"10" open:"yes"`
	Over         Size     `json:"over,omitempty" jsonschema:"Keep results up to this size." eg:"800" open:"yes"`
	Exempt       []string `json:"exempt,omitempty" jsonschema:"Tools whose results are kept." eg:"[\"skill\", \"ask\"]" open:"yes"`
	ClearAtLeast Tokens   `json:"clear_at_least,omitempty" jsonschema:"Do nothing unless at least this many tokens are freed, because everything after a change must be read again at full price." eg:"\"20k\"" open:"yes"`
	ColdAfter    Duration `json:"cold_after,omitempty" jsonschema:"Time after which a provider has dropped its prompt cache, so that freeing 2k tokens is enough." eg:"\"5m\"" open:"yes"`
}

// Auto is the table conversation.compaction.auto.
type Auto struct {
	Enabled            bool       `json:"enabled,omitempty" jsonschema:"Compact live conversations automatically." eg:"true"`
	Threshold          Threshold  `json:"threshold,omitempty" jsonschema:"When to compact: \"80%\" of the window, \"150k\" tokens used, \"-20k\" tokens left, \"any(80%, turns(20))\" for either, or \"off\"." eg:"\"80%\""`
	Strategy           Strategies `json:"strategy,omitempty" jsonschema:"Strategies to use." eg:"\"fit\""`
	Turns              Count      `json:"turns,omitempty" jsonschema:"Number of turns to make room for: without a target, fit reduces the view to the threshold minus what that many turns took so far, but not below a quarter of it." eg:"30"`
	Fallback           string     `json:"fallback,omitempty" one:"digest none" jsonschema:"What writes the summary when the model fails." eg:"\"digest\""`
	MaxAttemptsPerTurn Count      `json:"max_attempts_per_turn,omitempty" jsonschema:"Most failed attempts in one turn." eg:"1"`
	ProtectedTurns     any        `json:"protected_turns,omitempty" jsonschema:"No longer used; see keep_last." deprecated:"use conversation.compaction.keep_last"`
	CooldownSeconds    any        `json:"cooldown_seconds,omitempty" jsonschema:"No longer used." deprecated:"remove it"`
}

// Hook is the table conversation.compaction.hook.
type Hook struct {
	TimeLimit Duration `json:"time_limit,omitempty" jsonschema:"Time limit for answering an agent's event; after it, the agent does what it does without Tenfold." eg:"\"10s\""`
	TrimOver  Tokens   `json:"trim_over,omitempty" jsonschema:"Shorten new tool results to this many tokens before a model sees them; the whole result is stored. \"off\" sets no limit." eg:"\"25k\""`
}

// Tool is the table conversation.tools.NAME.
type Tool struct {
	Compaction ToolHint `json:"compaction,omitzero" jsonschema:"How to compact the tool's calls."`
}

// ToolHint is the table conversation.tools.NAME.compaction (H1). Keys left out
// keep the values of the program's own table.
type ToolHint struct {
	Request  tenfold.Action `json:"request,omitempty" one:"keep strip" jsonschema:"What to do with the arguments." eg:"\"keep\"" open:"yes"`
	Response tenfold.Action `json:"response,omitempty" one:"keep strip remove" jsonschema:"What to do with the results." eg:"\"strip\"" open:"yes"`
	Dedup    *bool          `json:"dedup,omitempty" jsonschema:"Drop the older of two equal calls." eg:"true" open:"yes"`
	Subsumes *bool          `json:"subsumes,omitempty" jsonschema:"Let later calls supersede earlier ones." eg:"true" open:"yes"`
	Exempt   *bool          `json:"exempt,omitempty" jsonschema:"Leave the tool's results alone." eg:"true" open:"yes"`
}

// Provider is the table providers.NAME.
type Provider struct {
	Type      string   `json:"type,omitempty" one:"anthropic openai gemini script" jsonschema:"Wire format; defaults to openai for providers that are not built in. A script plays answers from a file and sends nothing." eg:"\"openai\""`
	File      string   `json:"file,omitempty" jsonschema:"Answers of a script, a file of JSON lines, relative to the file that names it." eg:"\"answers.jsonl\""`
	BaseURL   URL      `json:"base_url,omitempty" jsonschema:"Address of the API. If you set it, also set api_key_env." eg:"\"http://localhost:11434/v1\""`
	APIKeyEnv EnvName  `json:"api_key_env,omitempty" jsonschema:"Environment variable that holds the API key. Never put the key itself here." eg:"\"ANTHROPIC_API_KEY\""`
	Timeout   Duration `json:"timeout,omitempty" jsonschema:"Time limit of a request." eg:"\"10m\""`
	API       string   `json:"api,omitempty" one:"responses chat" jsonschema:"Which of OpenAI's APIs the server speaks." eg:"\"responses\""`
}

// Limits is the table models."NAME" (T5).
type Limits struct {
	ContextWindow Positive `json:"context_window,omitempty" jsonschema:"Size of the context window in tokens." eg:"32768"`
	MaxOutput     Positive `json:"max_output,omitempty" jsonschema:"Most tokens in one answer." eg:"8192"`
}

// Policy is what becomes of reasoning or attachments. The zero Policy has no
// opinion.
type Policy struct {
	Policy tenfold.Action `json:"policy,omitempty" one:"strip keep" jsonschema:"What to do; defaults to strip." eg:"\"strip\"" open:"yes"`
	Over   Size           `json:"over,omitempty" jsonschema:"Keep contents up to this size." eg:"\"2KB\"" open:"yes"`
}

// ToolCalls is what becomes of tool calls (P5).
type ToolCalls struct {
	Policy    tenfold.Action    `json:"policy,omitempty" one:"strip strip-responses strip-requests omit keep" jsonschema:"What to do; defaults to strip." eg:"\"strip\"" open:"yes"`
	Request   *bool             `json:"request,omitempty" jsonschema:"Strip arguments." eg:"true" open:"yes"`
	Response  *bool             `json:"response,omitempty" jsonschema:"Strip results." eg:"true" open:"yes"`
	Over      Size              `json:"over,omitempty" jsonschema:"Keep contents up to this size." eg:"\"2KB\"" open:"yes"`
	Arguments tenfold.Arguments `json:"arguments,omitempty" one:"primary none" jsonschema:"What to keep of stripped arguments: what the call is about, or nothing; defaults to all short values." eg:"\"none\"" open:"yes"`
	FirstLine bool              `json:"first_line,omitempty" jsonschema:"Keep the first line of a stripped result." eg:"true" open:"yes"`
	Recall    bool              `json:"recall,omitempty" jsonschema:"Leave a note that says how to get a stripped result back." eg:"true" open:"yes"`
}

// Turns is what becomes of whole turns.
type Turns struct {
	Policy tenfold.Action `json:"policy,omitempty" one:"omit keep" jsonschema:"What to do; defaults to omit." eg:"\"omit\"" open:"yes"`
}

// Summary has a summary written that replaces the turns (M1, M1a).
type Summary struct {
	Policy       string            `json:"policy,omitempty" one:"summarize off" jsonschema:"What to do; defaults to summarize. Set off for no summary." eg:"\"summarize\"" open:"yes"`
	Model        ModelName         `json:"model,omitempty" jsonschema:"Model that writes it." eg:"\"anthropic/claude-haiku-4-5\""`
	MaxTokens    Positive          `json:"max_tokens,omitempty" jsonschema:"Maximum length in tokens." eg:"20000"`
	Budget       Positive          `json:"budget,omitempty" jsonschema:"Most tokens of a digest; defaults to 4 % of what it replaces, from 1,000 to 8,000." eg:"3000" open:"yes"`
	Instructions string            `json:"instructions,omitempty" jsonschema:"How to write it, in addition to the built-in instructions." eg:"\"Keep every decision.\""`
	Placement    tenfold.Placement `json:"placement,omitempty" one:"pair system user" jsonschema:"Where it is placed: a turn of its own, the system prompt, or a user message." eg:"\"pair\"" open:"yes"`
	Optional     bool              `json:"optional,omitempty" jsonschema:"If the summary is refused, apply the profile's other policies without it. Otherwise nothing is applied." eg:"true" open:"yes"`
}
