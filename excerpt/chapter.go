package excerpt

import "strings"

// A paragraph is of the chapter that it stands in, and a line of a log of the step or the
// test that printed it (fit.md F6).

// chapters finds the headings that the lines of a text stand under, as it is read.
type chapters struct {
	textLines []textLine
	// heading is the last heading. Those of the first level are comments in many languages,
	// and count from where there is one of another.
	heading int32
	counts  bool
	fence   fence
	// steps are where the steps of a build begin, by their numbers; test is the test whose
	// lines are farther in than margin, or all up to a blank one.
	steps  map[string]int32
	test   int32
	margin int32
	// mocha is set below the line of Mocha that says how many tests failed, titled is
	// whether the title of the test there has ended.
	mocha, titled bool
}

// maxSteps is how many steps of a build are looked at.
const maxSteps = 99

func (h *chapters) line(line, bare string, number int32) {
	h.fence.at(bare)
	if bare == "" || h.ofBuild(bare, number) || h.ofTest(line, bare, number) {
		return
	}
	if level := headingLevel(line); level > 0 && h.fence == "" {
		h.counts = h.counts || level > 1
		h.heading = number
		return
	}
	if h.counts {
		under(h.textLines, number, h.heading)
	}
}

// A fence is what begins the code that is under way, and ends it: as many signs, so that code may
// hold code. It is empty outside of code.
type fence string

// at takes in the next line, and reports whether it begins or ends code.
func (f *fence) at(bare string) bool {
	if *f != "" {
		if !strings.HasPrefix(bare, string(*f)) || strings.Trim(bare, string((*f)[:1])) != "" {
			return false
		}
		*f = ""
		return true
	}
	if !strings.HasPrefix(bare, "```") && !strings.HasPrefix(bare, "~~~") {
		return false
	}
	info := strings.TrimLeft(bare, bare[:1])
	if bare[0] == '`' && strings.Contains(info, "`") {
		return false
	}
	*f = fence(bare[:len(bare)-len(info)])
	return true
}

// headingLevel is the level of a heading of Markdown; 0 for another line.
func headingLevel(line string) int {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || len(line) > maxHead || !strings.HasPrefix(line[n:], " ") {
		return 0
	}
	return n
}

// ofBuild puts the lines that a step of Docker's build printed, "#12 0.3 npm error", under the
// one that begins it, "#12 [build 3/7] RUN npm ci".
func (h *chapters) ofBuild(bare string, number int32) bool {
	step, rest, ok := strings.Cut(bare, " ")
	if !ok || len(step) < 2 || len(step) > 4 || step[0] != '#' || strings.Trim(step[1:], "0123456789") != "" {
		return false
	}
	switch head, known := h.steps[step]; {
	case known:
		under(h.textLines, number, head)
	case rest != "" && rest[0] == '[' && len(h.steps) < maxSteps:
		if h.steps == nil {
			h.steps = map[string]int32{}
		}
		h.steps[step] = number
	default:
		return false
	}
	return true
}

// ofTest puts the lines that a test printed under its name: of Go's "--- FAIL: TestA (0.1s)" those
// that are farther in, of Rust's "---- a::b stdout ----" and of Jest's "● a › b" all up to
// the next.
func (h *chapters) ofTest(line, bare string, number int32) bool {
	m := margin(line)
	switch {
	case strings.HasSuffix(bare, " failing") && strings.Trim(bare[:len(bare)-len(" failing")], "0123456789") == "":
		h.mocha, h.test = true, 0
	case h.mocha:
		h.ofMocha(bare, number)
	case strings.HasPrefix(bare, "--- FAIL: "):
		up := h.test
		if m <= h.margin {
			up = 0
		}
		h.test, h.margin = number, m
		under(h.textLines, number, up)
	case strings.HasPrefix(bare, "---- ") && strings.HasSuffix(bare, " stdout ----"), strings.HasPrefix(bare, "● ") && len(bare) <= maxHead:
		h.test, h.margin = number, -1
	case h.test == 0:
		return false
	case m <= h.margin || h.margin < 0 && (bare == "failures:" || strings.HasPrefix(bare, "Test Suites: ")):
		h.test = 0
		return false
	default:
		under(h.textLines, number, h.test)
	}
	return true
}

// ofMocha puts what Mocha tells of a test that failed under its title, "1) Oven" with the
// lines below up to the colon, each of which stands under the one above it.
func (h *chapters) ofMocha(bare string, number int32) {
	if n, _, ok := strings.Cut(bare, ") "); ok && n != "" && len(bare) <= maxHead && strings.Trim(n, "0123456789") == "" {
		h.test, h.titled = number, strings.HasSuffix(bare, ":")
		return
	}
	under(h.textLines, number, h.test)
	if h.test > 0 && !h.titled {
		h.test, h.titled = number, strings.HasSuffix(bare, ":")
	}
}
