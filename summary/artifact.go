package summary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tenfold"
	"tenfold/internal/redact"
	"tenfold/strategy"
)

// Artifacts keep the files of a summary (M5). Implementations are safe for
// concurrent use.
type Artifacts interface {
	// Write keeps a file under a name and says where it lies then. A file that
	// is there stays: the new one gets another name. All of it is written, or
	// nothing.
	Write(name string, data []byte) (path string, err error)
}

// Recorded is a summariser whose work is kept as artifacts (M5): what it was
// given to read, rendered, and what it wrote. What looks like a secret is
// redacted in both. Of a summary that fails or is refused nothing is kept. An
// artifact that cannot be written is noted and stops nothing.
type Recorded struct {
	Of           strategy.Summarizer
	Artifacts    Artifacts
	Conversation string
	// Now gives the time that stands in the names.
	Now func() time.Time
	// Reasoning takes the model's reasoning into the input.
	Reasoning bool
}

// The names of artifacts: what they are, of which conversation, and when.
const (
	inputPrefix   = "summarizer-input-"
	summaryPrefix = "summary-"
	historyPrefix = "history-"
	artifactTime  = "20060102T150405Z"
	longestName   = 60
)

// nameOf is how the names of artifacts name a conversation: by its id where that
// may be a part of a file's name, else by what of it may and a hash, so that no
// two have one name.
func nameOf(conversation string) string {
	name := safeName(conversation)
	if name == conversation && len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(conversation))
	return name[:min(len(name), longestName)] + "-" + hex.EncodeToString(sum[:4])
}

// HistoryName is the name of the file that keeps what a client left of a conversation
// when it compacted: up to an entry, with a sum of what it holds.
func HistoryName(conversation string, seq int64, sum [8]byte) string {
	return fmt.Sprintf("%s%s-%d-%x.json", historyPrefix, nameOf(conversation), seq, sum)
}

var errRecordedLacks = errors.New("summary.Recorded needs its fields Of, Artifacts and Now, and one of them is nil")

// Summarize implements [strategy.Summarizer].
func (s Recorded) Summarize(ctx context.Context, r strategy.SummaryRequest) (strategy.SummaryResult, error) {
	if s.Of == nil || !r.DryRun && (s.Artifacts == nil || s.Now == nil) {
		return strategy.SummaryResult{}, errRecordedLacks
	}
	got, err := s.Of.Summarize(ctx, r)
	if err != nil || r.DryRun || r.Refusal(got) != nil || tenfold.Blank(got.Text) {
		return got, err
	}
	if ended := ctx.Err(); ended != nil {
		return got, ended
	}
	end := nameOf(s.Conversation) + "-" + s.Now().UTC().Format(artifactTime) + ".md"
	var input strings.Builder
	for _, prior := range r.Prior {
		input.WriteString("[earlier summary]:\n" + shielded(prior) + "\n\n")
	}
	render := Rendering{Reasoning: s.Reasoning}
	input.WriteString(render.Text(r.Log, r.Entries))
	kept := tenfold.Artifacts{}
	var failed [2]error
	kept.Input, failed[0] = s.Artifacts.Write(inputPrefix+end, []byte(redact.Secrets(input.String())))
	kept.Summary, failed[1] = s.Artifacts.Write(summaryPrefix+end, []byte(redact.Secrets(got.Text)+"\n"))
	if err := errors.Join(failed[:]...); err != nil {
		got.Notes = append(got.Notes, fmt.Sprintf("the artifacts of the summary could not be written: %v", err))
	}
	if kept != (tenfold.Artifacts{}) {
		got.Artifacts = &kept
	}
	return got, nil
}

// Quote implements [strategy.Quoter].
func (s Recorded) Quote(r strategy.SummaryRequest) strategy.Quote { return quoteOf(s.Of, r) }

// Directory keeps artifacts in a directory, which is made when it is not there.
// Files are for their owner alone, and whole or not there. No name leads out
// of the directory, by dots or by symbolic links.
type Directory string

// Write implements [Artifacts].
func (d Directory) Write(name string, data []byte) (string, error) {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return "", err
	}
	defer root.Close()
	name = safeName(name)
	temporary, f, err := create(root, name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		name, err = link(root, temporary, name)
	}
	_ = root.Remove(temporary)
	if err != nil {
		return "", err
	}
	return filepath.Join(string(d), name), nil
}

// Transcript is the path of a conversation's transcript file, which the agent
// writes.
func (d Directory) Transcript(conversation string) string {
	return filepath.Join(string(d), "transcript-"+nameOf(conversation)+".jsonl")
}

// Of lists the files of a conversation: its transcript, those of its summaries
// that its log names, and those that a program which was killed left behind.
func (d Directory) Of(conversation string) ([]string, error) {
	all, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := []string{nameOf(conversation)}
	if safeName(conversation) == conversation {
		names = append(names, conversation) // as release 0.1 has it
	}
	var files []string
	for _, f := range all {
		its := f.Name() == filepath.Base(d.Transcript(conversation)) || slices.ContainsFunc(names, func(name string) bool { return isArtifactOf(f.Name(), name) })
		if f.Type().IsRegular() && its {
			files = append(files, filepath.Join(string(d), f.Name()))
		}
	}
	return files, nil
}

// isArtifactOf reports whether a file's name is that of an artifact, or of one
// that was not finished. What follows the conversation's name must be a time,
// for other conversations may begin with the name.
func isArtifactOf(file, conversation string) bool {
	if rest, ok := strings.CutSuffix(file, ".part"); ok {
		number := filepath.Ext(rest)
		rest = strings.TrimSuffix(rest, number)
		if !strings.HasPrefix(rest, ".") || !isCount(strings.TrimPrefix(number, ".")) {
			return false
		}
		file = rest[1:]
	}
	for _, prefix := range []string{inputPrefix, summaryPrefix} {
		rest, ok := strings.CutPrefix(file, prefix+conversation+"-")
		stem, md := strings.CutSuffix(rest, ".md")
		when, number, twice := strings.Cut(stem, "-")
		if _, err := time.Parse(artifactTime, when); ok && md && err == nil && (!twice || isCount(number)) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(file, historyPrefix+conversation+"-")
	stem, named := strings.CutSuffix(rest, ".json")
	seq, sum, _ := strings.Cut(stem, "-")
	return ok && named && isCount(seq) && len(sum) == 16 && strings.Trim(sum, "0123456789abcdef") == ""
}

func isCount(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// create makes a file of a name that no other writer has, nor one that crashed
// left behind.
func create(root *os.Root, name string) (temporary string, f *os.File, err error) {
	for n := 1; n < mostNames; n++ {
		temporary = fmt.Sprintf(".%s.%d.part", name, n)
		f, err = root.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return temporary, f, err
}

// mostNames bounds the search for a name that is free.
const mostNames = 10_000

// link gives a finished file its name, or that name with a number where there
// is such a file: a link is never made over another file.
func link(root *os.Root, temporary, name string) (string, error) {
	extension := filepath.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	for n := 2; ; n++ {
		err := root.Link(temporary, name)
		if err == nil || !errors.Is(err, fs.ErrExist) || n > mostNames {
			return name, err
		}
		name = fmt.Sprintf("%s-%d%s", stem, n, extension)
	}
}

var unsafeInName = regexp.MustCompile(`(?s)[^a-zA-Z0-9._-]`)

// safeName makes a file name of any text: letters, digits, dots, "-" and "_",
// no dot in front, at most 120 bytes.
func safeName(text string) string {
	name := unsafeInName.ReplaceAllLiteralString(text, "_")
	if len(name) > 120 {
		extension := filepath.Ext(name)
		if len(extension) > 8 {
			extension = ""
		}
		name = name[:120-len(extension)] + extension
	}
	if name == "" || name[0] == '.' {
		name = "_" + strings.TrimLeft(name, ".")
	}
	return name
}
