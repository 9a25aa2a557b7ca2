package htmlexport

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"

	"tenfold"
	"tenfold/internal/cli/picture"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/internal/redact"
	"tenfold/internal/report"
)

var (
	//go:embed page.css
	rules string
	style = rules + bars()

	//go:embed page.js
	script string
)

// hash is how a policy names a text that stands in the file.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// head writes what stands above the timeline.
func (p *page) head() {
	title := cmp.Or(strings.Join(strings.Fields(p.Title), " "), p.ID)
	title = p.safe(title)
	p.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src `, hash(style), "; script-src ", hash(script),
		`; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n", `<meta name="viewport" content="width=device-width">`, "\n",
		"<title>", title, "</title>\n<style>", style, "</style>\n</head>\n<body>\n<header>\n<h1>", title, "</h1>\n")
	p.facts()
	p.redacted()
	p.raw("</header>\n<main>\n")
	p.sumsOfFates()
	p.compactions()
	p.raw(`<section aria-labelledby="tl"><h2 id="tl">Timeline</h2>`, "\n")
	p.setup()
	p.raw(`<p class="soft">A bar is what an entry takes, in tokens: pale what was said, full what a model sees of it; a full one is `,
		number.Thousands(p.scale.Tokens(p.full)), " or more. Open a turn, and an entry, to read it.</p>\n",
		`<div id="tools" role="search" hidden><label for="q">Search</label><input id="q" type="search" autocomplete="off" spellcheck="false">`,
		`<button id="prev" type="button">Previous</button><button id="next" type="button">Next</button>`,
		`<button data-to="bad" type="button">Next error</button><button data-to="user" type="button">Next message of the person</button>`,
		`<button data-to="cmp" type="button">Next compaction</button><button id="all" type="button" aria-pressed="false">Open all turns</button>`,
		`<span id="said" role="status"></span></div>`, "\n")
}

func (p *page) fact(name, value string) {
	if value != "" {
		p.raw("<div><dt>", name, "</dt><dd>", value, "</dd></div>\n")
	}
}

// facts writes what the conversation is.
func (p *page) facts() {
	all := p.scale.Counts(p.view.Totals().All())[0]
	tokens := arrow(all.Before, all.After)
	if saved := number.Smaller(all.Before, all.After); saved != "" {
		tokens += " (" + saved + ")"
	}
	shown := "all that was said, and what a model sees of it"
	if p.Compacted {
		shown = "what a model sees"
	}
	p.raw("<dl>\n")
	p.fact("Shows", shown)
	p.fact("Tokens", tokens)
	p.fact("Figures", p.scale.Words(report.CounterOf(p.log)))
	p.fact("Turns", number.Thousands(p.log.Turns()))
	p.fact("Entries", number.Thousands(int(p.log.Version())))
	p.fact("Model", p.safe(p.view.Config().Model))
	p.fact("Agent", p.safe(p.Tool))
	p.fact("Directory", p.safe(p.Directory))
	p.fact("Created", when(p.Created))
	p.fact("Conversation", p.safe(p.ID))
	p.raw("</dl>\n")
}

// redacted writes what is not in the file.
func (p *page) redacted() {
	p.raw(`<p class="redacted">`)
	switch all := p.found.Redacted.All(); {
	case p.Unredacted:
		p.raw("<strong>Not redacted.</strong> This file may hold secrets and names of people.")
	case all == 0:
		p.raw("<strong>Redacted: nothing found.</strong> ")
	default:
		p.raw("<strong>Redacted:</strong> ")
		for k, n := range p.found.Redacted {
			if n > 0 {
				one, many := redact.Kind(k).Words()
				p.raw(number.CountOf(n, one, many))
				if all -= n; all > 0 {
					p.raw(", ")
				}
			}
		}
		p.raw(". ")
	}
	if !p.Unredacted {
		p.raw("Only what has the form of a secret, of an e-mail address or of a home directory is found: read before you share.")
	}
	if p.found.Cut > 0 {
		p.raw(" ", number.CountOf(p.found.Cut, "text is", "texts are"), " cut at ", number.Thousands(LongestText>>10), " KB.")
	}
	p.raw("</p>\n")
}

// sumsOfFates writes what became of the entries, with a picture of it.
func (p *page) sumsOfFates() {
	t := p.view.Totals()
	p.raw(`<section aria-labelledby="sm"><h2 id="sm">What a model sees of it</h2>`, "\n",
		`<div class="wide" role="region" tabindex="0" aria-label="Tokens before and after, drawn">`, picture.SVG(p.view, p.scale), "</div>\n",
		`<div class="wide" role="region" tabindex="0" aria-label="Entries and tokens by fate"><table><thead><tr><th>Fate</th><th class="r">Entries</th><th class="r">Tokens</th><th class="r">A model sees</th></tr></thead><tbody>`, "\n")
	line := func(class, name string, c tenfold.Count, entries bool) {
		if c.Entries == 0 && c.Before == 0 && c.After == 0 {
			return
		}
		n := ""
		if entries {
			n = number.Thousands(c.Entries)
		}
		p.raw(`<tr><th scope="row" class="f-`, class, `"><span class="ft">`, name, `</span></th><td class="r">`,
			n, `</td><td class="r">`, number.Thousands(c.Before), `</td><td class="r">`, number.Thousands(c.After), "</td></tr>\n")
	}
	var counts []tenfold.Count
	for _, f := range tenfold.Fates() {
		counts = append(counts, t.Of(f))
	}
	counts = p.scale.Counts(append(counts, t.Added, t.Config)...)
	for i, f := range tenfold.Fates() {
		line(f.String(), f.String(), counts[i], true)
	}
	n := len(counts)
	line("added", "added", counts[n-2], true)
	line("config", "system prompt and tools", counts[n-1], false)
	p.raw("</tbody></table></div></section>\n")
}

// compactions writes what each did.
func (p *page) compactions() {
	some := false
	for o := range p.view.Overlays() {
		if !some {
			some = true
			p.raw(`<section aria-labelledby="cm"><h2 id="cm">Compactions</h2>`, "\n",
				`<div class="wide" role="region" tabindex="0" aria-label="What each compaction did"><table><thead><tr><th>Compaction</th><th>When</th><th>Range</th><th>What</th><th class="r">View before → after</th><th class="r">Decides now</th></tr></thead><tbody>`, "\n")
		}
		c := o.Compaction
		e, _ := p.log.Entry(o.Seq)
		state := ""
		if !o.Live {
			state = ` <span class="soft">(undone)</span>`
		}
		did := ""
		if before, after := p.scale.Sizes(c); before > 0 || after > 0 {
			did = arrow(before, after)
		}
		now := ""
		if by, ok := p.by[o.ID]; ok {
			sum := p.scale.Counts(by)[0]
			now = number.CountOf(sum.Entries, "entry", "entries") + ", " + arrow(sum.Before, sum.After)
		}
		link := p.safe(terminal.Tag(o.ID))
		if !p.Compacted {
			link = `<a href="#e` + numeral(o.Seq) + `">` + link + "</a>"
		}
		p.raw("<tr><td>", link, state, "</td><td>", when(e.Time), "</td><td>", p.safe(report.Where(c)), "</td><td>", p.safe(report.Why(c)), `</td><td class="r">`,
			did, `</td><td class="r">`, now, "</td></tr>\n")
		if c.Summary != nil {
			p.raw(`<tr><td colspan="6"><details><summary>Its summary</summary>`)
			p.pre("", p.without(c.Summary.Text))
			p.raw("</details></td></tr>\n")
		}
	}
	if some {
		p.raw("</tbody></table></div></section>\n")
	}
}

// setup writes the system prompt and the names of the tools.
func (p *page) setup() {
	c := p.view.Config()
	if c.System != "" {
		p.raw(`<details class="setup"><summary>System prompt</summary>`)
		p.pre("", p.without(c.System))
		p.raw("</details>\n")
	}
	if len(c.Tools) > 0 {
		var names []string
		for _, t := range c.Tools {
			names = append(names, t.Name)
		}
		p.raw(`<details class="setup"><summary>`, number.CountOf(len(names), "tool", "tools"), "</summary><p>", p.safe(strings.Join(names, ", ")), "</p></details>\n")
	}
}

func (p *page) footer() {
	p.raw("</section>\n</main>\n<footer><p>Written by Tenfold. This file asks the network for nothing.</p></footer>\n<script>", script, "</script>\n</body>\n</html>\n")
}
