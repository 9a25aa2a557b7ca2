//go:build fit

package excerpt_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tenfold"
	"tenfold/atom"
	"tenfold/eval"
	"tenfold/excerpt"
	"tenfold/internal/corpustest"
)

// fitSources are the sources that weights are fitted on; figures are published
// of others alone.
var fitSources = strings.Fields("agentv context-evaluator entire-auth-go entire-cli gatomia-vscode pi-mono")

// row is a block at a cut, and whether it was edited within the next requests.
type row struct {
	source int // index of fitSources
	cut    int // rows of one cut compete
	x      []float64
	bytes  int
	hit    float64
	weight float64
	given  float64 // what a fit adds to its score
}

// fitHorizon is how many requests after a cut tell what was edited.
const fitHorizon = 30

// bodyOf gives the lines that blocks of an entry are numbered by.
func bodyOf(p tenfold.Payload) []string {
	text := tenfold.TextLines(p)
	var lines []string
	if c, ok := p.(tenfold.ToolCall); ok {
		for _, a := range tenfold.ArgumentTexts(c.Arguments) {
			if a.Body {
				lines = append(lines, strings.Split(strings.TrimSuffix(a.Text, "\n"), "\n")...)
			}
		}
		return lines
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// hits says how much of a replaced text a block holds: all of it, or the larger
// part of its lines.
func hits(block []string, old string) bool {
	text := make([]string, len(block))
	for i, l := range block {
		text[i] = strings.TrimRight(l[atom.Gutter(l):], " \t\r")
	}
	if strings.Contains(strings.Join(text, "\n"), old) {
		return true
	}
	all, in := 0, 0
	for l := range strings.SplitSeq(old, "\n") {
		if l = strings.TrimRight(l, " \t\r"); len(l) >= 12 {
			all++
			if slices.Contains(text, l) {
				in++
			}
		}
	}
	return all > 1 && in*2 > all
}

// cuts gives the cuts of the sessions of the sources, each with a number.
func cuts(t *testing.T, yield func(source, cut int, c *eval.Cut)) {
	cut := 0
	for _, f := range corpustest.Files(t) {
		name, _, _ := strings.Cut(f.Name, "/")
		source := slices.Index(fitSources, name)
		if source < 0 || f.Calls < 10 {
			continue
		}
		for _, entries := range conversations(t, f) {
			l := tenfold.NewLog(tenfold.WithCounter(tenfold.Chars4{}))
			if _, err := l.Append(entries...); err != nil {
				t.Fatal(err)
			}
			s := eval.Open(l)
			for percent := 10; percent < 100; percent += 5 {
				c, err := s.Cut(percent)
				if err != nil || s.Requests()*5 < 100 && percent%10 != 0 {
					continue
				}
				cut++
				yield(source, cut, c)
			}
		}
	}
}

// rows are the blocks of all cuts of the sources.
func rows(t *testing.T) []row {
	var all []row
	cuts(t, func(source, cut int, c *eval.Cut) {
		olds := c.Old(fitHorizon)
		if len(olds) == 0 {
			return
		}
		for _, p := range indexed(c.Prefix()).Passages() {
			e, _ := c.Prefix().Entry(p.Seq)
			block := bodyOf(e.Payload)[p.First-1 : p.Last]
			r := row{source: source, cut: cut, bytes: p.Bytes, x: floats(p.Features)}
			if slices.ContainsFunc(olds, func(old string) bool { return hits(block, old) }) {
				r.hit = 1
			}
			all = append(all, r)
		}
	})
	return all
}

func floats(millionths []int64) []float64 {
	x := make([]float64, len(millionths))
	for i, m := range millionths {
		x[i] = float64(m) / 1e6
	}
	return x
}

// published are the weights of blocks.md, fitted on the same sources with care:
// a new fit starts from them, and leaves them as far as the sources insist.
var published = map[string]float64{
	"Age": -.031, "Calls": .303, "Fresh": 1.166, "Own": .214, "Search": -1.348, "Lines": .712, "Bytes": .258, "Entry": -.224,
	"Mentioned": 2.030, "Overlap": .255, "After": -.193, "Placed": 1.486, "Quoted": .945, "Shown": .380, "Top": -.241,
}

// fitLogistic gives the bias and weights that make the hits of rows most likely,
// by Newton's method, with a ridge that keeps them near what they were before.
func fitLogistic(all []row, use []int, before func(feature int) float64, ridge float64) []float64 {
	n := len(use) + 1
	prior := make([]float64, n)
	for i, f := range use {
		prior[i+1] = before(f)
	}
	w := slices.Clone(prior)
	x := make([]float64, n)
	for range 40 {
		grad, hess := make([]float64, n), make([][]float64, n)
		for i := range hess {
			hess[i] = make([]float64, n)
			if i > 0 {
				grad[i], hess[i][i] = -ridge*(w[i]-prior[i]), ridge
			}
		}
		for _, r := range all {
			x[0] = 1
			for i, f := range use {
				x[i+1] = r.x[f]
			}
			p := 1 / (1 + math.Exp(-r.given-dot(w, x)))
			for i := range n {
				grad[i] += r.weight * (r.hit - p) * x[i]
				for j := range i + 1 {
					hess[i][j] += r.weight * p * (1 - p) * x[i] * x[j]
				}
			}
		}
		for i := range n {
			for j := range i {
				hess[j][i] = hess[i][j]
			}
		}
		step := solve(hess, grad)
		far := 0.0
		for i := range w {
			far = max(far, math.Abs(step[i]))
		}
		for i := range w {
			w[i] += step[i] * min(1, 1/far) // far steps overshoot where hits are rare
		}
		if far < 1e-4 {
			break
		}
	}
	return w
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// solve solves a·x = b by elimination.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		best := i
		for j := i; j < n; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[best][i]) {
				best = j
			}
		}
		a[i], a[best], b[i], b[best] = a[best], a[i], b[best], b[i]
		for j := i + 1; j < n; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < n; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = b[i]
		for j := i + 1; j < n; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

// caught is the share of hits among the best blocks by chance per byte, up to a
// share of the bytes of each cut.
func caught(all []row, score func(row) float64, part float64) float64 {
	hits, got := 0.0, 0.0
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].cut == all[0].cut {
			n++
		}
		list := slices.Clone(all[:n])
		all = all[n:]
		bytes := 0
		for _, r := range list {
			bytes += r.bytes
		}
		slices.SortStableFunc(list, func(a, b row) int {
			x, y := score(a)/float64(a.bytes+60), score(b)/float64(b.bytes+60)
			switch {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		left := part * float64(bytes)
		sum, in := 0.0, 0.0
		for _, r := range list {
			sum += r.hit
			if left >= float64(r.bytes) {
				left -= float64(r.bytes)
				in += r.hit
			}
		}
		if sum > 0 {
			hits++
			got += in / sum
		}
	}
	return got / max(hits, 1)
}

// TestFitOfWeights fits the weights of what is edited next anew and prints them,
// with what each share of the bytes would catch on the source that was left out.
// It runs on request alone: go test -tags fit -run FitOfWeights -v ./excerpt.
func TestFitOfWeights(t *testing.T) {
	all := rows(t)
	names := excerpt.FeatureNames()
	before := func(feature int) float64 { return published[names[feature]] }
	hit := 0.0
	for _, r := range all {
		hit += r.hit
	}
	fmt.Printf("%d blocks, %.0f hits\n", len(all), hit)
	// Of what was not edited a part stands for all.
	var some []row
	for i, r := range all {
		switch r.weight = 1; {
		case r.hit > 0:
		case i%sampled != 0:
			continue
		default:
			r.weight = sampled
		}
		some = append(some, r)
	}
	models := func(use []int, ridge float64) (of [][]float64, loss float64) {
		for source := range fitSources {
			var in []row
			for _, r := range some {
				if r.source != source {
					in = append(in, r)
				}
			}
			w := fitLogistic(in, use, before, ridge)
			of = append(of, w)
			for _, r := range some {
				if r.source == source {
					p := chance(w, use, r)
					loss -= r.weight * (r.hit*math.Log(p) + (1-r.hit)*math.Log(1-p))
				}
			}
		}
		return of, loss / float64(len(all))
	}
	slices.SortStableFunc(all, func(a, b row) int { return a.cut - b.cut })
	try := func(label string, use []int, ridge float64) float64 {
		of, loss := models(use, ridge)
		score := func(r row) float64 { return chance(of[r.source], use, r) }
		fmt.Printf("%-24s loss %.5f caught at 5 %%: %.3f, 10 %%: %.3f, 20 %%: %.3f\n", label, loss, caught(all, score, .05), caught(all, score, .1), caught(all, score, .2))
		return loss
	}
	var every, recipe []int
	for i, n := range names {
		every = append(every, i)
		if i <= 15 && n != "Output" {
			recipe = append(recipe, i)
		}
	}
	for _, ridge := range []float64{5, 20, 50, 100, 200, 400, 1000, 1e6} {
		try(fmt.Sprint("recipe ", ridge), recipe, ridge)
		try(fmt.Sprint("all ", ridge), every, ridge)
	}
	use := every
	const ridge = 50
	best := try("all", every, ridge)
	for range 2 {
		for _, f := range slices.Clone(use) {
			if published[names[f]] != 0 {
				continue
			}
			less := slices.DeleteFunc(slices.Clone(use), func(i int) bool { return i == f })
			if _, loss := models(less, ridge); loss < best {
				best, use = loss, less
				fmt.Printf("without %s: %.5f\n", names[f], loss)
			}
		}
	}
	try("left", use, ridge)
	w := fitLogistic(some, use, before, ridge)
	fmt.Printf("const editBias = %.0f\n", w[0]*1000)
	for i, f := range use {
		fmt.Printf("\tfeat%s: %.0f,\n", names[f], w[i+1]*1000)
	}
}

// TestFitOfNames fits each weight of what is used next anew, the others given, and
// prints it beside the one there is. It runs on request alone, as that of blocks:
// go test -tags fit -run FitOfNames -v ./excerpt.
func TestFitOfNames(t *testing.T) {
	weights := excerpt.AtomWeights()
	var all []row
	cuts(t, func(source, cut int, c *eval.Cut) {
		used, from, sum := c.Names(fitHorizon), len(all), 0.0
		if len(used) < 5 {
			return
		}
		for _, n := range indexed(c.Prefix()).Names() {
			r := row{source: source, cut: cut, x: floats(n.Features), weight: float64(n.Rare) / 1e6}
			if used[n.Text] > 0 {
				r.hit = 1
			}
			r.given = excerpt.AtomBias
			for i, x := range r.x {
				r.given += float64(weights[i]) / 1000 * x
			}
			sum += r.weight
			all = append(all, r)
		}
		for i := range all[from:] { // each cut counts alike
			all[from+i].weight *= 1000 / sum
		}
	})
	for f := range weights {
		some := slices.Clone(all)
		for i := range some {
			some[i].given -= float64(weights[f]) / 1000 * some[i].x[f]
		}
		w := fitLogistic(some, []int{f}, func(int) float64 { return float64(weights[f]) / 1000 }, 1)
		fmt.Printf("feature %2d: %5d, fitted %5.0f\n", f, weights[f], w[1]*1000)
	}
}

// sampled is how many blocks that were not edited one stands for in a fit.
const sampled = 6

// chance is what a model makes of a row.
func chance(w []float64, use []int, r row) float64 {
	sum := w[0]
	for i, f := range use {
		sum += w[i+1] * r.x[f]
	}
	return 1 / (1 + math.Exp(-sum))
}
