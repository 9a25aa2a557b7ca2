package cause

import (
	"regexp"
	"strings"
)

// furniture are the metadata of web pages that speak to other programs: names, those that a
// colon and more may follow, as in "og:image:width", and, with a sign at the end, how names begin.
var furniture = []string{
	"og:image", "og:type", "og:locale", "og:site_name", "twitter:", "msapplication-", "fb:", "al:", "apple-",
	"parsely-", "theme-color", "viewport", "generator", "robots", "referrer", "format-detection", "csrf-", "next-head-count", "google-site-verification", "naver-site-verification",
	"yandex-verification", "msvalidate", "@context", "@id", "thumbnailUrl", "contentUrl", "urlTemplate", "inLanguage", "potentialAction", "query-input",
}

// loaded are the relations of a page to what a browser loads beside it.
var loaded = []string{"preload", "modulepreload", "prefetch", "dns-prefetch", "preconnect", "apple-touch-icon", "mask-icon"}

// notebook are the members of a notebook of Jupyter that say nothing of what is in its cells,
// with how their values begin where other files have such a member, too.
var notebook = map[string]string{
	"cell_type": `"`, "execution_count": "", "output_type": `"`, "kernelspec": "{", "language_info": "{", "codemirror_mode": "", "nbconvert_exporter": "",
	"pygments_lexer": "", "nbformat": "", "nbformat_minor": "", "file_extension": `".`, "mimetype": `"text/x-`,
}

// IsFurniture reports whether a line of a web page is for programs alone: metadata for other
// sites, what a browser is to load, a record for search engines in one line. So are
// members of a notebook beside its cells.
func IsFurniture(line string) bool {
	if len(line) < 6 {
		return false
	}
	switch line[0] {
	case '"':
		if name, value, ok := strings.Cut(line[1:min(len(line), 80)], `"`); ok && isMember(name, strings.TrimLeft(value, ": ")) {
			return true
		}
		return strings.Contains(line[:min(len(line), 40)], `{\"@context\"`)
	case '{':
		return strings.Contains(line[:min(len(line), 40)], `"@context":`)
	case '<':
		return isFurnitureTag(line)
	}
	return false
}

// isMember reports whether a member of JSON is such; its value is cut.
func isMember(name, value string) bool {
	if begins, ok := notebook[name]; ok {
		return strings.HasPrefix(value, begins)
	}
	return isFurniture(name) && !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[")
}

func isFurniture(name string) bool {
	for _, one := range furniture {
		rest, ok := strings.CutPrefix(name, one)
		if ok && (rest == "" || rest[0] == ':' || strings.HasSuffix(one, ":") || strings.HasSuffix(one, "-")) {
			return name != "twitter:title" && name != "twitter:description"
		}
	}
	return false
}

// isFurnitureTag looks at the first attributes of a tag of a page's head.
func isFurnitureTag(line string) bool {
	head := line[:min(len(line), 200)]
	switch {
	case strings.HasPrefix(head, "<link "):
		_, rel, ok := strings.Cut(head, `rel="`)
		rel, _, closed := strings.Cut(rel, `"`)
		for _, one := range loaded {
			if ok && closed && rel == one {
				return true
			}
		}
	case strings.HasPrefix(head, "<meta "):
		for _, attribute := range []string{`name="`, `property="`} {
			_, name, _ := strings.Cut(head, attribute)
			if name, _, ok := strings.Cut(name, `"`); ok && isFurniture(name) {
				return true
			}
		}
	}
	return false
}

// roles are what elements of a page are that only hold others, or are pictures.
const roles = `(?:generic|document|main|banner|navigation|contentinfo|complementary|region|section|article|paragraph|group|list|listitem|table|rowgroup|row|separator|strong|emphasis|LabelText|image|img)`

// node is such an element without a name, with its number as browsers for agents print it.
var node = regexp.MustCompile(`^(?:\[\d+\] ` + roles + `|- ` + roles + `(?: \[(?:ref=\w+|active)\])+:?)$`)

// IsNode reports whether a line of a page's accessibility tree is a part of its structure that
// says nothing: "[803] banner", "- generic [ref=e2]:". Its number is no name of anything.
func IsNode(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) < 80 && (strings.HasPrefix(line, "[") || strings.HasPrefix(line, "- ")) && node.MatchString(line)
}
