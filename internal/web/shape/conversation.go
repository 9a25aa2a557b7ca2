// Package shape is what the API says and takes: conversations and what is in them
// (conversation.go), what goes on in one (live.go), wishes and what they would do and
// cost (write.go), entries as programs send them (entries.go), and problems
// (problem.go). The page's client is generated from these types by way of the OpenAPI
// document. Tokens are by the provider's own count where usage was recorded, as on the
// command line; times are UTC.
package shape

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/report"
)

// Tokens is a size before and after compaction.
type Tokens = report.Tokens

// A ConversationRow is a conversation in a list: what the store knows without
// reading a log.
type ConversationRow struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Tool    string    `json:"tool" doc:"tool that wrote the session, such as claude-code; empty for Tenfold itself"`
	Project string    `json:"project" doc:"the directory it ran in; empty where unknown"`
	Turns   int       `json:"turns"`
	Entries int64     `json:"entries" doc:"the version of the log"`
	Tokens  Tokens    `json:"tokens"`
	Dollars float64   `json:"dollars" doc:"what its recorded requests cost, US$; 0 where unknown"`
	Began   time.Time `json:"began" doc:"time of the first message"`
	Ended   time.Time `json:"ended" doc:"time of the last message"`
	Updated time.Time `json:"updated" doc:"time of the last append"`
	Fault   string    `json:"fault,omitempty" doc:"why the title, the tool and the project, which are then empty, cannot be read"`
	Active  bool      `json:"active" doc:"it is the conversation that commands use without an ID"`
}

// Conversations is a page of a list, the last changed first.
type Conversations struct {
	Items []ConversationRow `json:"items"`
	Next  string            `json:"next,omitempty" doc:"cursor of the next page; empty at the end"`
	// AsOf is there where more is asked for than a page in the order of updated.
	AsOf *time.Time `json:"as_of,omitempty" doc:"when the whole list was read: of more than 5,000 conversations at most a minute ago"`
	// The others are there when totals are asked for.
	Total *int      `json:"total,omitempty" doc:"that pass the filters"`
	Sums  *ListSums `json:"sums,omitempty" doc:"over all that pass the filters"`
	// Projects and Tools are what the filters offer, with how many each has.
	Projects []Facet `json:"projects,omitempty"`
	Tools    []Facet `json:"tools,omitempty"`
}

// ListSums add up what a list has, all pages of it.
type ListSums struct {
	Before  int     `json:"before"`
	After   int     `json:"after"`
	Dollars float64 `json:"dollars"`
}

// A Facet is a value that a filter offers.
type Facet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A Conversation is one opened.
type Conversation struct {
	ConversationRow
	Created     time.Time    `json:"created" doc:"names the log: where it is another time, it is another conversation of the same id"`
	Model       string       `json:"model" doc:"the newest that answered; empty where unknown"`
	Window      int          `json:"window" doc:"its context window in tokens; 0 where unknown"`
	Compactions []Compaction `json:"compactions" doc:"all that the log holds, the oldest first"`
	Status      Status       `json:"status"`
	Sums        []FateSum    `json:"sums" doc:"entries and tokens by fate"`
}

// A FateSum is what became of entries of one fate.
type FateSum struct {
	Fate    string `json:"fate" doc:"kept, stripped, trimmed, omitted or summarised; added and config for what is not an entry"`
	Entries int    `json:"entries"`
	Before  int    `json:"before"`
	After   int    `json:"after"`
}

// A Compaction is an overlay of the log.
type Compaction struct {
	ID       string    `json:"id"`
	Seq      int64     `json:"seq"`
	Command  string    `json:"command,omitempty" doc:"what one command made is undone together"`
	At       time.Time `json:"at"`
	FromTurn int       `json:"from_turn"`
	ToTurn   int       `json:"to_turn"`
	ToStep   *int      `json:"to_step" doc:"the last step covered of the last turn; null: the whole turn"`
	Does     []string  `json:"does" doc:"what it changes: summary, turns, reasoning, tool_calls, texts, attachments, tool_definitions"`
	First    int64     `json:"first" doc:"seq of the first entry covered; first > last for none"`
	Last     int64     `json:"last"`
	Strategy string    `json:"strategy,omitempty"`
	Profile  string    `json:"profile,omitempty"`
	Source   string    `json:"source,omitempty" doc:"who asked: user, auto, model, micro, import, birth"`
	Reason   string    `json:"reason,omitempty"`
	Live     bool      `json:"live" doc:"false while it is undone"`
	Before   int       `json:"before" doc:"tokens of the view before it; 0 where not recorded"`
	After    int       `json:"after"`
	Summary  string    `json:"summary,omitempty" doc:"the text of its summary"`
	Model    string    `json:"model,omitempty" doc:"model that wrote its summary; digest if no model was called"`
	Dollars  float64   `json:"dollars,omitempty" doc:"what its summary cost"`
}

// An Outline is the structure of a log in columns, one value an entry, from seq
// From on. Columns of strings are indexes into their lists.
type Outline struct {
	Created time.Time `json:"created" doc:"that of the conversation"`
	Version int64     `json:"version"`
	From    int64     `json:"from" doc:"seq of the first value"`
	Kinds   []string  `json:"kinds"`
	Fates   []string  `json:"fates"`
	Kind    []int     `json:"kind"`
	Turn    []int     `json:"turn"`
	Step    []int     `json:"step"`
	Before  []int     `json:"before" doc:"tokens raw"`
	After   []int     `json:"after" doc:"tokens that a model sees"`
	Fate    []int     `json:"fate"`
	By      []int     `json:"by" doc:"index into compactions of the conversation; -1 for none"`
	Pair    []int64   `json:"pair" doc:"seq of the call of a result, or of the result of a call; 0 for none"`
	Flags   []int     `json:"flags" doc:"bits: 1 an error, 2 said by a person, 4 pinned, 8 of a sub-agent, 16 no model sees its kind"`
}

// A Row is one entry in a list: a line of it.
type Row struct {
	Seq     int64     `json:"seq"`
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	Turn    int       `json:"turn"`
	Step    int       `json:"step"`
	Branch  string    `json:"branch,omitempty" doc:"the sub-agent's, empty for the main one"`
	At      time.Time `json:"at"`
	Label   string    `json:"label" doc:"a few words: the tool and its primary argument, the kind's name"`
	Text    string    `json:"text" doc:"the first 300 characters, on one line"`
	Length  int       `json:"length" doc:"characters of the whole text"`
	Tool    string    `json:"tool,omitempty"`
	Outcome string    `json:"outcome,omitempty" doc:"how a call ended: ok, failed, unknown …"`
	Fate    string    `json:"fate"`
	By      string    `json:"by,omitempty" doc:"id of the compaction that decided"`
	Why     string    `json:"why" doc:"the reason of the fate"`
	Before  int       `json:"before"`
	After   int       `json:"after"`
	Pair    int64     `json:"pair,omitempty"`
	Pinned  bool      `json:"pinned,omitempty"`
}

// Rows is a window of a log.
type Rows struct {
	Created time.Time `json:"created" doc:"that of the conversation"`
	Version int64     `json:"version"`
	Items   []Row     `json:"items"`
}

// An Entry is one whole. Text and Shown are cut to the window that was asked for.
type Entry struct {
	Row
	Raw    string `json:"raw" doc:"what was said, from offset on, in characters"`
	Offset int    `json:"offset"`
	// Shown is what a model sees of it now; empty where it sees nothing.
	Shown       string         `json:"shown"`
	ShownLength int            `json:"shown_length"`
	Summary     string         `json:"summary,omitempty" doc:"text of the summary that replaces it"`
	Payload     jsontext.Value `json:"payload,omitempty" doc:"as it is stored, where that is at most 64 KB"`
}

// A Hit is an entry found by a search.
type Hit struct {
	Conversation string   `json:"conversation"`
	Title        string   `json:"title"`
	Seq          int64    `json:"seq"`
	Kind         string   `json:"kind"`
	Snippet      string   `json:"snippet"`
	Marks        [][2]int `json:"marks" doc:"where the words stand in the snippet, in UTF-16 code units"`
	Hidden       *bool    `json:"hidden" doc:"no model sees it now; null if too much would have to be read to know"`
}

// Hits are what a search found.
type Hits struct {
	Items []Hit `json:"items"`
	// Unread tells of entries that could not be searched.
	Unread string `json:"unread,omitempty" doc:"how many damaged entries were left out, and which the first is; empty where none was"`
}

// A View is what a model sees, for one provider.
type View struct {
	Provider string     `json:"provider"`
	Version  int64      `json:"version"`
	From     int        `json:"from" doc:"index of the first item given, from 0"`
	Total    int        `json:"total" doc:"items of the whole view"`
	Items    []ViewItem `json:"items"`
	Tokens   int        `json:"tokens"`
	Config   int        `json:"config" doc:"tokens of the system prompt, with summaries that stand in it, and the tools, which come before"`
	// Cached is how many of the items from the start were in the last request that
	// was answered, and so may be in the provider's cache.
	Cached int `json:"cached"`
	// Warm is until when the provider keeps them, by its rules.
	Warm     time.Time `json:"warm,omitzero"`
	Epochs   []Epoch   `json:"epochs"`
	Problems []string  `json:"problems" doc:"what the provider would reject; usually empty"`
	// Kinds, Kind and Sizes are columns over the whole view, for a picture of it.
	Kinds []string `json:"kinds"`
	Kind  []int    `json:"kind" doc:"index into kinds"`
	Sizes []int    `json:"sizes" doc:"tokens"`
	Body  string   `json:"body,omitempty" doc:"the conversation part of the request, byte for byte; where it was asked for"`
}

// A ViewItem is one thing that a model sees.
type ViewItem struct {
	Seq    int64  `json:"seq" doc:"0 for what the projection put in"`
	Kind   string `json:"kind"`
	Turn   int    `json:"turn"`
	Step   int    `json:"step"`
	Added  string `json:"added,omitempty" doc:"what the projection put in"`
	Fate   string `json:"fate"`
	By     string `json:"by,omitempty"`
	Tokens int    `json:"tokens"`
	Note   int    `json:"note,omitempty" doc:"so many characters at the beginning of the text are the note of the view, which the projection put in"`
	Text   string `json:"text" doc:"the first 20,000 characters; all of it where seq is 0"`
	Length int    `json:"length" doc:"characters of the whole text"`
}

// An Epoch is a stretch in which the beginning of the view did not change.
type Epoch struct {
	Compaction string    `json:"compaction" doc:"the one that began it; empty for the first"`
	At         time.Time `json:"at"`
	Tokens     int       `json:"tokens" doc:"of the view when it began"`
}

// A Meta says what this server offers.
type Meta struct {
	Version    string   `json:"version"`
	ReadOnly   bool     `json:"read_only"`
	Agent      bool     `json:"agent" doc:"messages can be sent: a model is configured"`
	Model      string   `json:"model,omitempty" doc:"what answers a message that names none"`
	Models     []string `json:"models" doc:"that the configuration names, as PROVIDER/MODEL"`
	Jobs       bool     `json:"jobs" doc:"the store has jobs in the background"`
	Profiles   []string `json:"profiles"`
	Strategies []string `json:"strategies"`
	Providers  []string `json:"providers" doc:"for views: anthropic, openai-chat …"`
}
