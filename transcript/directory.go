package transcript

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/jp"
)

// ExportDirectory writes a conversation into a new directory below dir, for a
// tool that keeps each in one: JP, whose directories dir is to be among. It
// appears whole or not at all. The path is the directory's.
func ExportDirectory(dir string, to Format, v View) (path string, warnings []string, err error) {
	if to != JP {
		return "", nil, &Error{
			Err:  fmt.Errorf("a conversation as %s is a file, and %s is a directory", to, dir),
			Hint: "name a file",
		}
	}
	if v.Projection == nil {
		return "", nil, unexported(v, errors.New("there is no projection"))
	}
	path = filepath.Join(dir, jpDirectory(v.Conversation))
	staging := filepath.Join(dir, ".tmp-"+rand.Text()[:8])
	if err := os.Mkdir(staging, 0o700); err != nil {
		return "", nil, err
	}
	defer func() { _ = os.RemoveAll(staging) }()
	if warnings, err = jpFiles(staging, v); err != nil {
		return "", nil, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", nil, &Error{Err: fmt.Errorf("%s is there already", path), Hint: "take it away, or name another directory"}
	}
	return path, warnings, os.Rename(staging, path)
}

// jpDirectory names a conversation as JP does: by the tenth of a second in which
// it began, and its title.
func jpDirectory(c Conversation) string {
	began := c.Created
	if began.IsZero() {
		began = time.Unix(0, 0)
	}
	words := strings.FieldsFunc(strings.ToLower(c.Title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strconv.FormatInt(began.UnixMilli()/100, 10)
	for _, w := range words {
		if len(name)+len(w) > 80 {
			break
		}
		name += "-" + w
	}
	return name
}

// jpFiles writes what JP looks for: the events, what is known of the
// conversation, and the configuration that it began with. Where that is the first
// event, JP finds it there.
func jpFiles(dir string, v View) (warnings []string, err error) {
	var events bytes.Buffer
	if warnings, err = jp.Handler().Export(&events, v); err != nil {
		return nil, err
	}
	files := map[string][]byte{"events.json": events.Bytes()}
	began := intake.NewHead(events.Bytes(), "events.json").JSON.Objects
	if len(began) == 0 || began[0].Values["type"] != "config_delta" {
		files["base_config.json"] = []byte("{}\n")
	}
	last := v.Created
	for e := range v.Projection.Log().Entries() {
		if !e.Time.IsZero() {
			last = e.Time
		}
		if d, ok := e.Payload.(tenfold.ConfigDelta); ok && e.ID == "base-config" {
			files["base_config.json"] = []byte(d.Extra + "\n")
			warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.Contains(w, "base_config.json") })
		}
	}
	about := struct {
		Title string `json:"title,omitzero"`
		Last  string `json:"last_activated_at"`
	}{v.Title, last.UTC().Format("2006-01-02 15:04:05.000000")}
	if files["metadata.json"], err = json.Marshal(about); err != nil {
		return nil, err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	return warnings, nil
}
