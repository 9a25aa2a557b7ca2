package eval

// A Measure is one of the figures of a view.
type Measure int

// The measures, as the package comment defines them, in the order of the tables.
const (
	Kept Measure = iota
	CUR
	EDR
	Strict
	Presence
	ResultOnly
	Runs
	Marks
	Density
	User
	Trail
	Stale
	measures
)

// measureInfo says how a measure is called, as a column and as a field of JSON,
// what it means, and where its figure is.
type measureInfo struct {
	column, field, about string
	of                   func(c *Cell, horizon int) Share
	write                func(Estimate) string
}

func (m Measure) info() measureInfo {
	return [measures]measureInfo{
		Kept: {
			"kept", "kept", "tokens of the view over those of the raw prefix, with all stubs, marks and summaries counted; system prompt and tool definitions left out of both",
			func(c *Cell, _ int) Share { return c.Kept }, inPercent,
		},
		CUR: {
			"CUR", "cur", "contextual carried-use recall: of the names that later tool calls use, and that nothing showed again before, the share by weight that stands in a line with 60 % of the words of one of its sources (30 % of a line of more than 30)",
			func(c *Cell, h int) Share { return c.Recalls[h].CUR }, decimal,
		},
		EDR: {
			"EDR", "edr", "edit-ready recall: of the later edits whose old text the prefix showed, and nothing showed again before, the share whose old text stands contiguous in the view",
			func(c *Cell, h int) Share { return c.Recalls[h].EDR }, decimal,
		},
		Strict: {
			"strict", "cur_strict", "CUR with as many of the words other than the name, and half of the line's words its source's",
			func(c *Cell, h int) Share { return c.Recalls[h].Strict }, decimal,
		},
		Presence: {
			"present", "presence", "the same names anywhere in the view, even in a list of names",
			func(c *Cell, h int) Share { return c.Recalls[h].Presence }, decimal,
		},
		ResultOnly: {
			"results", "cur_result_only", "CUR of the names that only tool results held",
			func(c *Cell, h int) Share { return c.Recalls[h].ResultOnly }, decimal,
		},
		Runs: {
			"run", "run", "of the lines kept of results and texts, how many neighbours the median one stands among, itself counted",
			func(c *Cell, _ int) Share { return c.Runs }, tenth,
		},
		Marks: {
			"marks", "marks", "share of the view's lines that are nothing but words of ours: marks of what is left out, stubs of results, the note",
			func(c *Cell, _ int) Share { return c.Marks }, inPercent,
		},
		Density: {
			"dense", "density", "share of the characters that stand in lines which are more than 60 % names",
			func(c *Cell, _ int) Share { return c.Density }, decimal,
		},
		User: {
			"user", "user_verbatim", "share of the person's messages of up to 500 tokens that stand whole",
			func(c *Cell, _ int) Share { return c.User }, decimal,
		},
		Trail: {
			"trail", "artifact_trail", "share of the changed files whose last change is named",
			func(c *Cell, _ int) Share { return c.Trail }, decimal,
		},
		Stale: {
			"stale", "stale", "share of the tokens that show files as they no longer are",
			func(c *Cell, _ int) Share { return c.Stale }, decimal,
		},
	}[m]
}

// Field is how a measure is called in JSON.
func (m Measure) Field() string { return m.info().field }

// Measures lists all measures.
func Measures() []Measure {
	list := make([]Measure, measures)
	for m := range measures {
		list[m] = m
	}
	return list
}
