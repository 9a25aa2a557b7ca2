package config

import "tenfold"

// Config is the whole configuration. In a field's tags stand its key, what it
// means, and an example of its value; the schema, the output of "config show"
// and the errors are made from them.
//
// A field tagged open may be set by the file of a workspace that nobody trusts
// yet; all others, new ones among them, may not (see [Trust]). A field tagged
// unused has no effect so far, and its description says so.
type Config struct {
	Model        Model               `json:"model,omitzero" jsonschema:"The model that conversations are held with."`
	Conversation Conversation        `json:"conversation,omitzero" jsonschema:"How conversations are kept and compacted."`
	Providers    map[string]Provider `json:"providers,omitempty" jsonschema:"Where models are reached, by the name of the provider. Built in are anthropic, openai, gemini and ollama."`
	Models       map[string]Limits   `json:"models,omitempty" jsonschema:"What is known of models, by name, over the table that comes with the program."`
}

// Model is the table model.
type Model struct {
	Name ModelName `json:"name,omitempty" jsonschema:"The model, as PROVIDER/MODEL." eg:"\"anthropic/claude-sonnet-4-5\""`
}

// Conversation is the table conversation.
type Conversation struct {
	Compaction Compaction      `json:"compaction,omitzero" jsonschema:"How conversations are compacted."`
	Tools      map[string]Tool `json:"tools,omitempty" jsonschema:"What is said of single tools, by their names."`
}

// Compaction is the table conversation.compaction.
type Compaction struct {
	DefaultProfile     string             `json:"default_profile,omitempty" jsonschema:"The profile used when none is named." eg:"\"default\"" open:"yes"`
	KeepLast           Count              `json:"keep_last,omitempty" jsonschema:"How many turns are kept at the end." eg:"3" open:"yes"`
	KeepTokens         Tokens             `json:"keep_tokens,omitempty" jsonschema:"At most so many tokens of them are kept; \"off\" for turns alone." eg:"\"20k\"" open:"yes"`
	SummarizeThreshold Share              `json:"summarize_threshold,omitempty" jsonschema:"The strategy auto summarizes when more than this share of the model's window remains." eg:"0.5"`
	Fork               bool               `json:"fork,omitempty" jsonschema:"Every compact works on a new fork." eg:"true"`
	Strategy           Strategies         `json:"strategy,omitempty" jsonschema:"Strategies to use in place of the default profile, left to right: a list, or text with spaces between." eg:"\"auto\"" open:"yes"`
	SummarizerModel    ModelName          `json:"summarizer_model,omitempty" jsonschema:"The model that writes summaries where a profile names none." eg:"\"anthropic/claude-haiku-4-5\""`
	SessionDir         string             `json:"session_dir,omitempty" jsonschema:"Where transcripts and artifacts are kept; empty is beside the store." eg:"\"\""`
	Profiles           map[string]Profile `json:"profiles,omitempty" jsonschema:"Named sets of policies."`
	Micro              Micro              `json:"micro,omitzero" jsonschema:"The strategy micro. It does not run by itself yet."`
	Auto               Auto               `json:"auto,omitzero" jsonschema:"Automatic compaction. It does not run yet: of these keys only fallback has an effect."`
	ProtectedTurns     any                `json:"protected_turns,omitempty" jsonschema:"No longer used; see keep_last." deprecated:"use keep_last"`
	CooldownSeconds    any                `json:"cooldown_seconds,omitempty" jsonschema:"No longer used." deprecated:"it can be left out"`
}

// Profile is the table conversation.compaction.profiles.NAME.
type Profile struct {
	Reasoning   Policy    `json:"reasoning,omitzero" jsonschema:"What becomes of reasoning." eg:"\"strip\"" open:"yes"`
	ToolCalls   ToolCalls `json:"tool_calls,omitzero" jsonschema:"What becomes of calls of tools and their results." eg:"\"strip\"" open:"yes"`
	Attachments Policy    `json:"attachments,omitzero" jsonschema:"What becomes of attachments." eg:"\"strip\"" open:"yes"`
	Turns       Turns     `json:"turns,omitzero" jsonschema:"Whether whole turns go." eg:"\"omit\"" open:"yes"`
	Summary     Summary   `json:"summary,omitzero" jsonschema:"A summary in place of the turns." eg:"\"summarize\"" open:"yes"`
	Fit         FitTarget `json:"fit,omitempty" jsonschema:"How much it is fitted into, line by line: \"10%\" of the conversation or \"20k\" tokens; the other slots are then no matter." eg:"\"10%\"" open:"yes"`
}

// Micro is the table conversation.compaction.micro.
type Micro struct {
	Enabled      bool     `json:"enabled,omitempty" jsonschema:"Look at it in every iteration of the agent's loop." eg:"true" open:"yes" unused:"yes"`
	KeepRecent   Count    `json:"keep_recent,omitempty" jsonschema:"How many of the newest results stay." eg:"10" open:"yes"`
	Over         Size     `json:"over,omitempty" jsonschema:"Results of at most this size stay." eg:"800" open:"yes"`
	Exempt       []string `json:"exempt,omitempty" jsonschema:"Tools whose results stay." eg:"[\"skill\", \"ask\"]" open:"yes"`
	ClearAtLeast Tokens   `json:"clear_at_least,omitempty" jsonschema:"It does nothing unless it frees so many tokens: what stands behind them has to be read anew. So far only conversation show --money uses it." eg:"\"20k\"" open:"yes"`
	ColdAfter    Duration `json:"cold_after,omitempty" jsonschema:"When a provider has forgotten the prompt it cached, so that freeing 2k tokens is worth it. So far only conversation show --money uses it." eg:"\"5m\"" open:"yes"`
}

// Auto is the table conversation.compaction.auto.
type Auto struct {
	Enabled            bool       `json:"enabled,omitempty" jsonschema:"Enable it." eg:"true" unused:"yes"`
	Threshold          Threshold  `json:"threshold,omitempty" jsonschema:"When: \"80%\" of the window, \"150k\" tokens used, \"-20k\" tokens left, \"cache(20k, 5m)\" by what the provider's prompt cache loses, \"any(80%, cache())\", \"off\"." eg:"\"80%\"" unused:"yes"`
	Strategy           Strategies `json:"strategy,omitempty" jsonschema:"The strategies it uses." eg:"\"auto\"" unused:"yes"`
	Fallback           Fallback   `json:"fallback,omitempty" jsonschema:"What writes the summary when the model fails." eg:"\"digest\""`
	MaxAttemptsPerTurn Count      `json:"max_attempts_per_turn,omitempty" jsonschema:"How often it tries in a turn." eg:"1" unused:"yes"`
	ProtectedTurns     any        `json:"protected_turns,omitempty" jsonschema:"No longer used; see keep_last." deprecated:"use conversation.compaction.keep_last"`
	CooldownSeconds    any        `json:"cooldown_seconds,omitempty" jsonschema:"No longer used." deprecated:"it can be left out"`
}

// Tool is the table conversation.tools.NAME.
type Tool struct {
	Compaction ToolHint `json:"compaction,omitzero" jsonschema:"How the tool's calls are compacted."`
}

// ToolHint is the table conversation.tools.NAME.compaction (H1). What it
// leaves out stays as the program's own table has it.
type ToolHint struct {
	Request  Request  `json:"request,omitempty" jsonschema:"What becomes of the arguments." eg:"\"keep\"" open:"yes"`
	Response Response `json:"response,omitempty" jsonschema:"What becomes of the results." eg:"\"strip\"" open:"yes"`
	Dedup    *bool    `json:"dedup,omitempty" jsonschema:"Whether the older of two equal calls goes." eg:"true" open:"yes"`
	Subsumes *bool    `json:"subsumes,omitempty" jsonschema:"Whether a later call can make an earlier one needless." eg:"true" open:"yes"`
	Exempt   *bool    `json:"exempt,omitempty" jsonschema:"Whether the tool's results are left alone." eg:"true" open:"yes"`
}

// Provider is the table providers.NAME.
type Provider struct {
	Type      ProviderType `json:"type,omitempty" jsonschema:"Which wire format it speaks; openai where it is not built in. A script plays a file of answers and sends nothing." eg:"\"openai\""`
	File      string       `json:"file,omitempty" jsonschema:"The answers of a script, a file of JSON lines; found from the directory of the file that names it." eg:"\"answers.jsonl\""`
	BaseURL   URL          `json:"base_url,omitempty" jsonschema:"Where its API is." eg:"\"http://localhost:11434/v1\""`
	APIKeyEnv EnvName      `json:"api_key_env,omitempty" jsonschema:"The variable of the environment that holds the key; never the key itself." eg:"\"ANTHROPIC_API_KEY\""`
	Timeout   Duration     `json:"timeout,omitempty" jsonschema:"How long a request may take." eg:"\"10m\""`
	API       API          `json:"api,omitempty" jsonschema:"Which API of OpenAI the server speaks." eg:"\"responses\""`
}

// Limits is the table models."NAME" (T5).
type Limits struct {
	ContextWindow Positive `json:"context_window,omitempty" jsonschema:"How many tokens its context holds." eg:"32768"`
	MaxOutput     Positive `json:"max_output,omitempty" jsonschema:"How many tokens it may answer." eg:"8192"`
}

// Policy is what becomes of reasoning or attachments: "strip", "keep", or a
// table. The zero Policy has no opinion.
type Policy struct {
	Policy PolicyName `json:"policy,omitempty" jsonschema:"What is done; strip when left out." eg:"\"strip\"" open:"yes"`
	Over   Size       `json:"over,omitempty" jsonschema:"Contents of at most this size stay." eg:"\"2KB\"" open:"yes"`
}

// ToolCalls is what becomes of calls of tools (P5).
type ToolCalls struct {
	Policy    ToolPolicyName `json:"policy,omitempty" jsonschema:"What is done; strip when left out." eg:"\"strip\"" open:"yes"`
	Request   *bool          `json:"request,omitempty" jsonschema:"Whether arguments are stripped." eg:"true" open:"yes"`
	Response  *bool          `json:"response,omitempty" jsonschema:"Whether results are stripped." eg:"true" open:"yes"`
	Over      Size           `json:"over,omitempty" jsonschema:"Contents of at most this size stay." eg:"\"2KB\"" open:"yes"`
	FirstLine bool           `json:"first_line,omitempty" jsonschema:"Whether the first line of a stripped result stays." eg:"true" open:"yes"`
	Recall    bool           `json:"recall,omitempty" jsonschema:"Whether what is left of a result says how to get it back." eg:"true" open:"yes"`
}

// Turns says whether whole turns go.
type Turns struct {
	Policy TurnsName `json:"policy,omitempty" jsonschema:"What is done; omit when left out." eg:"\"omit\"" open:"yes"`
}

// Summary has a summary written in place of the turns (M1, M1a).
type Summary struct {
	Policy       SummaryName `json:"policy,omitempty" jsonschema:"What is done; summarize when left out, off for no summary." eg:"\"summarize\"" open:"yes"`
	Model        ModelName   `json:"model,omitempty" jsonschema:"The model that writes it." eg:"\"anthropic/claude-haiku-4-5\""`
	MaxTokens    Positive    `json:"max_tokens,omitempty" jsonschema:"How long it may get." eg:"20000"`
	Instructions string      `json:"instructions,omitempty" jsonschema:"How to write it, beside the instructions that come with the program." eg:"\"Keep every decision.\""`
	Placement    Placement   `json:"placement,omitempty" jsonschema:"Where it stands." eg:"\"pair\"" open:"yes"`
	Optional     bool        `json:"optional,omitempty" jsonschema:"Apply the profile's other policies without the summary where that is refused; else nothing is applied." eg:"true" open:"yes"`
}

// The values that are one of a few words.
type (
	// PolicyName is strip or keep.
	PolicyName tenfold.Action
	// ToolPolicyName is also omit, strip-requests or strip-responses.
	ToolPolicyName tenfold.Action
	// TurnsName is omit or keep.
	TurnsName tenfold.Action
	// SummaryName is summarize or off.
	SummaryName string
	// Placement is where a summary stands (P3, P4).
	Placement tenfold.Placement
	// Fallback is what steps in for a model that fails (A6).
	Fallback string
	// API is a dialect of OpenAI's.
	API string
	// ProviderType is a wire format, or script.
	ProviderType string
	// Request is what becomes of a tool's arguments (H1).
	Request tenfold.Action
	// Response is what becomes of a tool's results (H1).
	Response tenfold.Action
)

func (PolicyName) choices() []string { return []string{"strip", "keep"} }
func (ToolPolicyName) choices() []string {
	return []string{"strip", "strip-responses", "strip-requests", "omit", "keep"}
}
func (TurnsName) choices() []string   { return []string{"omit", "keep"} }
func (SummaryName) choices() []string { return []string{"summarize", "off"} }
func (Placement) choices() []string   { return []string{"pair", "system", "user"} }
func (Fallback) choices() []string    { return []string{"digest", "none"} }
func (API) choices() []string         { return []string{"responses", "chat"} }
func (ProviderType) choices() []string {
	return []string{"anthropic", "openai", "gemini", "script"}
}
func (Request) choices() []string  { return []string{"keep", "strip"} }
func (Response) choices() []string { return []string{"keep", "strip", "remove"} }

// short tells that a table may be written as its policy alone.
func (*Policy) short()    {}
func (*ToolCalls) short() {}
func (*Turns) short()     {}
func (*Summary) short()   {}
