package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// Secrets in base64, and those that line ends break.

// encodedEnd is where a text in base64 ends that begins with a run and holds a secret,
// as the login file of Docker or a key that was encoded; read is how far it looked.
func encodedEnd(text string, from, to int) (read int, secret bool) {
	const least, look = 24, 8 << 10
	if to-from < least || strings.IndexByte(text[from:to], '.') >= 0 || !isText(text[from:from+16]) {
		return to, false
	}
	end := wrappedEnd(text, from, to)
	run := text[from:end]
	if end > to {
		run = lineEnds.ReplaceAllString(run, "")
	}
	run = strings.TrimRight(run[:min(len(run), look)], "=")
	data, ok := decoded(run[:len(run)-len(run)%4])
	if !ok {
		return end, false
	}
	var inner Counts
	return end, len(spansOf(data, &inner)) > 0 || strings.Contains(data, "PRIVATE KEY-----")
}

// lineEnds stand between the lines of base64.
var lineEnds = regexp.MustCompile(`(?:\s|\\[nr]|>)+`)

// decoded gives the text that base64 stands for, of either alphabet.
func decoded(run string) (text string, ok bool) {
	if strings.ContainsAny(run, "-_") {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
	}
	data, err := base64.RawStdEncoding.DecodeString(run)
	if err != nil {
		return "", false
	}
	for _, c := range data {
		if (c < ' ' && c != '\n' && c != '\r' && c != '\t') || c >= 0x7f {
			return "", false
		}
	}
	return string(data), true
}

func isText(run string) bool {
	_, ok := decoded(run)
	return ok
}

// wrapped is a line of base64 that goes on with the line before.
var wrapped = regexp.MustCompile(`^(?:\r?\n|(?:\\r)?\\n)[ \t>]*[A-Za-z0-9+/_-]{8,}={0,2}(?:[\s"'\\]|$)`)

// wrappedEnd is where a value ends that takes several lines; to where it takes one.
func wrappedEnd(text string, from, to int) int {
	width := to - from
	if width < 48 || strings.ContainsAny(text[from:to], ".") {
		return to
	}
	for to < len(text) && to-from < longestKey {
		line := wrapped.FindString(text[to:min(len(text), to+256)])
		value := strings.TrimRight(line, "\r\n\t \"'\\")
		if line == "" || !isLineOf(value, width) {
			break
		}
		to += len(value)
		if len(strings.TrimLeft(value, "\\rn\r\n\t >")) < width-8 { // the last one
			break
		}
	}
	return to
}

// isLineOf reports whether a line may be one of a value that is wrapped at a width:
// no word, and no longer.
func isLineOf(line string, width int) bool {
	value := strings.TrimLeft(line, "\r\n\t >")
	if rest, ok := strings.CutPrefix(line, `\n`); ok {
		value = strings.TrimLeft(rest, "\t >")
	} else if rest, ok := strings.CutPrefix(line, `\r\n`); ok {
		value = strings.TrimLeft(rest, "\t >")
	}
	return len(value) <= width+16 && (strings.HasSuffix(value, "=") || strings.ContainsAny(value, "0123456789+/") && entropy(value) >= 2.5)
}

// continuation is the end of a line that goes on in the next one, as a shell has it,
// in JSON too.
var continuation = regexp.MustCompile(`\\\r?\n[ \t]*|\\\\(?:\\r)?\\n[ \t]*`)

// unwrapped joins lines that go on in the next one, and says where each byte stands in
// the text; nil where there are none.
func unwrapped(text string) (joined string, at []int32) {
	if !strings.Contains(text, "\\\n") && !strings.Contains(text, "\\\r") && !strings.Contains(text, `\\\n`) && !strings.Contains(text, `\\\r`) {
		return text, nil
	}
	ends := continuation.FindAllStringIndex(text, -1)
	if len(ends) == 0 || len(text) > 1<<30 {
		return text, nil
	}
	var b strings.Builder
	kept := 0
	at = make([]int32, 0, len(text))
	for _, e := range append(ends, []int{len(text), len(text)}) {
		b.WriteString(text[kept:e[0]])
		for i := kept; i < e[0]; i++ {
			at = append(at, int32(i))
		}
		kept = e[1]
	}
	return b.String(), at
}

// The parts of a Secret of Kubernetes, as YAML or JSON, which may stand in a string.
var (
	kubernetesKind = regexp.MustCompile(`(?:\b|\\n)kind\\*["']?\s*:\s*\\*["']?Secret(?:\\|\b)`)
	kubernetesData = regexp.MustCompile(`(?:\b|\\n)(?:data|stringData)\\*["']?\s*:(?:\s|\\[nrt])*(?:\{|[A-Za-z0-9._\\"'-]+\s*:)`)
	kubernetesPair = regexp.MustCompile(`([A-Za-z0-9._-]+\\*["']?:[ \t]*(?:[|>]-?(?:\s|\\n)*)?\\*["']?)([^\s\\"',{}\[\]|>][^\s\\"',}]*)`)
)

// kubernetesNear is how far from its kind the values of a Secret are looked for.
const kubernetesNear = 16 << 10

// withoutKubernetes replaces the values of Secrets.
func withoutKubernetes(text string, counts *Counts) string {
	if !strings.Contains(text, "Secret") || !strings.Contains(text, "ata") {
		return text
	}
	var b strings.Builder
	done := 0 // up to where it is written
	for {
		kind := kubernetesKind.FindStringIndex(text[done:])
		if kind == nil {
			b.WriteString(text[done:])
			return b.String()
		}
		kind[0], kind[1] = kind[0]+done, kind[1]+done
		from, to := max(done, kind[0]-kubernetesNear), min(len(text), kind[1]+kubernetesNear)
		if i := strings.LastIndex(text[from:kind[0]], "---"); i >= 0 {
			from += i
		}
		if i := strings.Index(text[kind[1]:to], "---"); i >= 0 {
			to = kind[1] + i
		}
		if next := kubernetesKind.FindStringIndex(text[kind[1]:to]); next != nil {
			to = kind[1] + next[0]
		}
		b.WriteString(text[done:from])
		b.WriteString(withoutValues(text[from:to], counts))
		done = to
	}
}

// withoutValues replaces the values of one Secret.
func withoutValues(text string, counts *Counts) string {
	var b strings.Builder
	for {
		at := kubernetesData.FindStringIndex(text)
		if at == nil {
			b.WriteString(text)
			return b.String()
		}
		head := at[0] + strings.IndexByte(text[at[0]:], ':') + 1
		b.WriteString(text[:head])
		text = text[head:]
		end := len(text)
		if at := kubernetesEnd.FindStringIndex(text); at != nil {
			end = at[0]
		}
		b.WriteString(kubernetesPair.ReplaceAllStringFunc(text[:end], func(pair string) string {
			m := kubernetesPair.FindStringSubmatch(pair)
			if strings.Trim(m[2], "0123456789") == "" || strings.HasPrefix(m[2], "$") || m[2] == redacted {
				return pair // a size, as "kubectl describe" prints it, a variable
			}
			counts[Password]++
			return m[1] + redacted
		}))
		text = text[end:]
	}
}

// kubernetesEnd is where the values of a Secret end.
var kubernetesEnd = regexp.MustCompile(`\}|(?:\b|\\n)(?:kind|metadata|type|immutable|apiVersion|stringData|data)\\*["']?:`)
