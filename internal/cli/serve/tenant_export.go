package serve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"tenfold/fleet/tenant"
	"tenfold/internal/cli/command"
	"tenfold/internal/number"
	"tenfold/internal/outfile"
	"tenfold/problem"
	"tenfold/store/archive"
	"tenfold/store/postgres"
)

func tenantExportCommand(a *command.App) *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "export NAME --to DIR|FILE.zip",
		Short: "Export all that a tenant has",
		Long: `Exports a tenant to a new directory, or to a zip file: every conversation in
Tenfold's own format, which loses nothing, with its title and its origin, the
limits, the tokens without what proves them, and the audit log. "tenfold tenant
import" reads the conversations into another tenant, also of another database.
Of a damaged conversation, what comes before the damage is exported: it is
named, and the exit code is 1.

The export is in the clear, whether the tenant is encrypted or not: only you can
read its files.`,
		Example: `  tenfold tenant export kitchen --to kitchen.zip
  tenfold tenant export kitchen --to backup/kitchen`,
		Args: command.Arguments(1, 1, "a NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if to == "" {
				return command.Usage("tenfold tenant export requires --to", "name a new directory, or a file that ends in .zip")
			}
			return ofTenant(c.Context(), a, args[0], func(t aTenant) error {
				total, unread, err := exportTenant(c.Context(), t, to)
				if err == nil {
					err = t.registry.Record(c.Context(), t.ID, did("tenant export"))
				}
				if err != nil {
					return err
				}
				err = a.Result(exportedJSON{movedJSON{t.Name, to, total.Conversations, total.Entries}, damagedJSON(unread)}, func() {
					a.Noticef("exported %s with %s to %s", number.Count(total.Conversations, "conversation"), number.CountOf(total.Entries, "entry", "entries"), to)
				})
				return cmp.Or(err, tellUnread(a, unread))
			})
		},
	}
	c.Flags().StringVar(&to, "to", "", "`DIR` or FILE.zip to write")
	return c
}

// exportedJSON names the conversations that were not exported whole.
type exportedJSON struct {
	movedJSON
	Damaged []unreadJSON `json:"damaged,omitempty"`
}

type unreadJSON struct {
	Conversation string `json:"conversation"`
	// Entries is how many were exported.
	Entries int64  `json:"entries"`
	Problem string `json:"problem"`
}

func damagedJSON(unread []archive.Unread) []unreadJSON {
	var all []unreadJSON
	for _, u := range unread {
		all = append(all, unreadJSON{u.ID, u.Entries, u.Err.Error()})
	}
	return all
}

func tellUnread(a *command.App, unread []archive.Unread) error {
	if len(unread) == 0 {
		return nil
	}
	var ids []string
	for i, u := range unread {
		a.Warn("conversation " + u.ID + ": exported " + number.CountOf(int(u.Entries), "entry", "entries") + "; cannot read: " + u.Err.Error())
		if i < 10 {
			ids = append(ids, u.ID)
		}
	}
	if more := len(unread) - len(ids); more > 0 {
		ids = append(ids, strconv.Itoa(more)+" more")
	}
	return &problem.Error{
		Code: "damaged", Problem: number.Count(len(unread), "conversation") + " could not be read whole: " + strings.Join(ids, ", "),
		Hint: "the export has all that can be read; restore the rest from a backup",
	}
}

type movedJSON struct {
	Tenant        string `json:"tenant"`
	Path          string `json:"path"`
	Conversations int    `json:"conversations"`
	Entries       int    `json:"entries"`
}

// exportTenant writes a tenant to a directory or a zip file, which appears only when
// it is complete but for what cannot be read.
func exportTenant(ctx context.Context, t aTenant, to string) (archive.Total, []archive.Unread, error) {
	st, err := t.database.TenantNumbered(ctx, t.ID)
	if err != nil {
		return archive.Total{}, nil, err
	}
	defer st.Close()
	if !strings.HasSuffix(to, ".zip") {
		sink, end, err := archive.Directory(to)
		if err != nil {
			return archive.Total{}, nil, err
		}
		total, unread, err := writeTenant(ctx, t.registry, t.Tenant, st, sink)
		return total, unread, errors.Join(err, end())
	}
	file, err := outfile.Create(to, 0o600)
	if err != nil {
		return archive.Total{}, nil, err
	}
	defer file.Abandon()
	sink, end := archive.Zip(file)
	total, unread, err := writeTenant(ctx, t.registry, t.Tenant, st, sink)
	if err = errors.Join(err, end()); err == nil {
		err = file.Commit()
	}
	return total, unread, err
}

// aboutTenant is tenant.json of an export.
type aboutTenant struct {
	Version  int            `json:"tenfold_tenant"`
	Tenant   tenant.Tenant  `json:"tenant"`
	Exported time.Time      `json:"exported"`
	Tokens   []tenant.Token `json:"tokens"`
}

func writeTenant(ctx context.Context, r *tenant.Registry, t tenant.Tenant, st *postgres.Store, to archive.Sink) (archive.Total, []archive.Unread, error) {
	tokens, err := r.Tokens(ctx, t.ID)
	if err != nil {
		return archive.Total{}, nil, err
	}
	if err := writeJSON(to, "tenant.json", aboutTenant{1, t, time.Now().UTC(), tokens}); err != nil {
		return archive.Total{}, nil, err
	}
	audit, err := to.Create("audit.jsonl")
	for page := (tenant.Page{Limit: 1000}); err == nil; {
		var events []tenant.Event
		if events, page.Cursor, err = r.Events(ctx, t.ID, page); err != nil {
			break
		}
		for _, e := range events {
			if err = writeLine(audit, e); err != nil {
				break
			}
		}
		if page.Cursor == "" {
			break
		}
	}
	if err != nil {
		return archive.Total{}, nil, err
	}
	total, err := archive.Write(ctx, st, to)
	var damaged *archive.UnreadError
	if errors.As(err, &damaged) {
		return total, damaged.Conversations, nil
	}
	return total, nil, err
}

func writeJSON(to archive.Sink, name string, v any) error {
	w, err := to.Create(name)
	if err != nil {
		return err
	}
	return writeLine(w, v, jsontext.WithIndent("  "))
}

func writeLine(w io.Writer, v any, opts ...json.Options) error {
	b, err := json.Marshal(v, opts...)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

func tenantImportCommand(a *command.App) *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "import NAME --from DIR|FILE.zip",
		Short: "Import the conversations of an exported tenant",
		Long: `Reads the conversations that "tenfold tenant export" wrote into the tenant NAME,
which "tenfold tenant create" made: the same logs, titles and origins. Limits
are set by hand, tokens are made anew, and the audit log begins here. A
conversation that the tenant already has ends the import.`,
		Example: `  tenfold tenant create kitchen
  tenfold tenant import kitchen --from kitchen.zip`,
		Args: command.Arguments(1, 1, "a NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if from == "" {
				return command.Usage("tenfold tenant import requires --from", `name what "tenfold tenant export" wrote`)
			}
			return ofTenant(c.Context(), a, args[0], func(t aTenant) error {
				total, err := importTenant(c.Context(), t, from)
				if err == nil {
					err = t.registry.Record(c.Context(), t.ID, did("tenant import"))
				}
				if err != nil {
					return err
				}
				return a.Result(movedJSON{t.Name, from, total.Conversations, total.Entries}, func() {
					a.Noticef("imported %s with %s into tenant %s", number.Count(total.Conversations, "conversation"), number.CountOf(total.Entries, "entry", "entries"), t.Name)
				})
			})
		},
	}
	c.Flags().StringVar(&from, "from", "", "`DIR` or FILE.zip to read")
	return c
}

func importTenant(ctx context.Context, t aTenant, from string) (archive.Total, error) {
	files, closer, err := archive.Open(from)
	if err != nil {
		return archive.Total{}, err
	}
	defer closer.Close()
	st, err := t.database.TenantNumbered(ctx, t.ID)
	if err != nil {
		return archive.Total{}, err
	}
	defer st.Close()
	return archive.Read(ctx, files, st)
}
