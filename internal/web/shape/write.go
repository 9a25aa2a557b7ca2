package shape

import (
	"math"

	"tenfold/internal/report"
)

// What is written, what it would do, and what it costs: as the command line says
// it (package report).

// A Wish says what to compact and how, as the flags of "tenfold conversation
// compact" do; empty fields are as configured.
type Wish struct {
	Profile    string   `json:"profile,omitempty"`
	Strategies []string `json:"strategies,omitempty" doc:"NAME or NAME:KEY=VALUE,…; not with a profile"`
	From       string   `json:"from,omitempty" doc:"a bound: 5, -3, 2d, last"`
	To         string   `json:"to,omitempty" doc:"a bound; not with keep"`
	Keep       string   `json:"keep,omitempty" doc:"turns or tokens at the end: 3, 20k"`
	Target     string   `json:"target,omitempty" doc:"20k, or 10%"`
	Focus      string   `json:"focus,omitempty" doc:"what a summary has to keep"`
	Summary    string   `json:"summary,omitempty" doc:"use this text as the summary"`
	// Version is the log that the person looked at: another one is a conflict, 409.
	// 0 takes the newest.
	Version int64 `json:"version,omitempty" minimum:"0" doc:"version of the log that was looked at: 409 if it has changed since; 0 takes the newest"`
}

// A Trial is a plan that was not applied: how the view would be. Making it calls no
// model and writes nothing.
type Trial struct {
	Report report.Report `json:"report"`
	// Version is the log that it was made of: send it with the wish to apply just
	// this.
	Version int64 `json:"version"`
	// Fates names what the numbers of Fate mean. Fate and After are what becomes of
	// each entry in that view, and its tokens, from seq 1 on.
	Fates []string `json:"fates"`
	Fate  []int    `json:"fate"`
	After []int    `json:"after"`
	// Changed is how many entries are seen otherwise than now.
	Changed  int      `json:"changed"`
	Measured Measured `json:"measured"`
}

// Measured is what a strategy keeps of what was needed later (docs/quality.md),
// measured on one conversation: it is cut at a few places near its end, what
// stands before a cut is compacted as was asked, and what the agent did in the 30
// requests after it shows what it still needed. It is measured over the raw log, up
// to the first summary of the session's own tool. What a model would write a digest
// writes here.
type Measured struct {
	CUR *float64 `json:"cur" doc:"the share of the names needed later that stand in a readable line; null where nothing can be measured"`
	EDR *float64 `json:"edr" doc:"the share of the edits whose old text stands in the view"`
	// Cuts are the places, in percent of the requests, that were measured before
	// the time was up.
	Cuts     []int `json:"cuts"`
	Requests int   `json:"requests" doc:"that the conversation has"`
	// Why is set where there are no figures.
	Why string `json:"why,omitempty" doc:"why there are no figures"`
}

// A Spending is what requests cost in a group of them.
type Spending struct {
	Key       string  `json:"key" doc:"a day as 2006-01-02, a project, a model, or a conversation's id"`
	Title     string  `json:"title,omitempty"`
	Responses int     `json:"responses"`
	Priced    int     `json:"priced" doc:"of them, with a known price"`
	Dollars   float64 `json:"dollars"`
	// Saved is what compactions saved less what they cost: below zero where they
	// cost more. It is of whole conversations: by day it counts on the day of a
	// conversation's last response, by model on its main model.
	Saved      float64 `json:"saved" doc:"what compactions saved less what they cost; counted on the last day and the main model of a conversation"`
	Input      int     `json:"input"`
	CacheRead  int     `json:"cache_read"`
	CacheWrite int     `json:"cache_write"`
	Output     int     `json:"output"`
}

// round gives millionths of a dollar, about the price of a token: sums differ beyond.
func (g *Spending) Round() {
	g.Dollars, g.Saved = math.Round(g.Dollars*1e6)/1e6, math.Round(g.Saved*1e6)/1e6
}

// Spendings is what requests cost, as far as the logs are read.
type Spendings struct {
	Items []Spending `json:"items"`
	Total Spending   `json:"total"`
	// Reading is how many of the conversations are still to be read, or to be read
	// again because they went on; ask again until it is 0.
	Reading int `json:"reading"`
	Of      int `json:"of" doc:"conversations in the store"`
}

// A LabPoint is a strategy measured on one conversation or several.
type LabPoint struct {
	Strategy string   `json:"strategy"`
	Family   string   `json:"family" doc:"the strategy without its target"`
	Share    float64  `json:"share" doc:"tokens of the view in the raw ones, 0 to 1"`
	CUR      *float64 `json:"cur"`
	EDR      *float64 `json:"edr"`
	Baseline bool     `json:"baseline"`
	Sessions int      `json:"sessions" doc:"how many were measured"`
}

// A LabProgress is how far the lab is.
type LabProgress struct {
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Doing string `json:"doing,omitempty" doc:"the title of the conversation that is measured"`
}

// A LabDone ends the lab's stream.
type LabDone struct {
	Sessions int    `json:"sessions" doc:"conversations that were measured"`
	Skipped  int    `json:"skipped" doc:"too short, or nothing in them is used again later"`
	Error    string `json:"error,omitempty" doc:"why it ended early"`
}
