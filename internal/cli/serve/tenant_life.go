package serve

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"tenfold/fleet/job"
	"tenfold/fleet/tenant"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
	"tenfold/store/postgres"
)

func tenantEncryptCommand(a *command.App) *cobra.Command {
	return onTenant(a, &cobra.Command{
		Use:   "encrypt NAME",
		Short: "Encrypt what a tenant writes",
		Long: `Gives a tenant keys of its own, and seals all of its conversations, while
programs go on using them. From then on every program needs the master key,
which wraps the keys of tenants: set TENFOLD_MASTER_KEY to the base64 of 32
random bytes, TENFOLD_MASTER_KEY_FILE to a file that contains it, or
TENFOLD_MASTER_KEY_COMMAND to a program that prints it. Without it nobody can
read the tenant, so keep it apart from the database.

Texts, titles and origins are sealed; ids, times and counts are not. What was
written in the clear remains in freed pages until PostgreSQL reuses them, and in
older backups.`,
		Example: `  export TENFOLD_MASTER_KEY_COMMAND="pass show tenfold/master"
  tenfold tenant encrypt kitchen`,
	}, 1, "a NAME", func(ctx context.Context, t aTenant, _ []string) error {
		done, err := t.database.Encrypt(ctx, t.ID, recordEncryption(t.ID))
		if err != nil {
			return err
		}
		return a.Result(done, func() {
			a.Noticef("tenant %s is encrypted; sealed %s with %s", t.Name, number.Count(done.Conversations, "conversation"), number.CountOf(done.Entries, "entry", "entries"))
		})
	})
}

func tenantRekeyCommand(a *command.App) *cobra.Command {
	var data bool
	c := &cobra.Command{
		Use:   "rekey [NAME] [flags]",
		Short: "Wrap the keys of tenants by a new master key",
		Long: `Wraps the keys of all tenants by the current master key. To replace the master
key, put the new one on the first line and the old one on the second, restart
all programs with both, run this, and take the old one away. Then older backups
can be read only with the old master key: destroy it to end that too.

With a NAME and --data, that tenant gets a new data key, which seals what is
written from then on; what is there stays readable by its own key.`,
		Example: `  tenfold tenant rekey
  tenfold tenant rekey kitchen --data`,
		Args: command.Arguments(0, 1, ""),
		RunE: func(c *cobra.Command, args []string) error {
			if data != (len(args) == 1) {
				return command.Usage("tenfold tenant rekey takes a NAME together with --data", `"tenfold tenant rekey" wraps all keys, "tenfold tenant rekey NAME --data" makes a new one`)
			}
			if data {
				return ofTenant(c.Context(), a, args[0], func(t aTenant) error {
					version, err := t.database.Rotate(c.Context(), t.ID, tenant.RecordIn(t.ID, did("tenant rekey")))
					if err != nil {
						return err
					}
					return a.Result(map[string]any{"tenant": t.Name, "version": version}, func() {
						a.Noticef("tenant %s seals with data key %d from now on", t.Name, version)
					})
				})
			}
			return database(c.Context(), a, func(db *postgres.Database) error {
				n, err := db.Rewrap(c.Context())
				if err != nil {
					return err
				}
				return a.Result(map[string]int{"wrapped": n}, func() { a.Noticef("wrapped %s by the current master key", number.Count(n, "key")) })
			})
		},
	}
	c.Flags().BoolVar(&data, "data", false, "make a new data key for the tenant NAME")
	return c
}

func tenantRetainCommand(a *command.App) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "retain [flags]",
		Short: "Erase conversations whose retention has ended",
		Long: `Erases conversations that have not changed for longer than the --retain-days of
their tenant, by the database's clock, and drops the partitions of months that
are empty then. Servers with jobs do this once a day. No conversation is exempt;
pins only affect what a model sees.`,
		Example: `  tenfold tenant limits kitchen --retain-days 90
  tenfold tenant retain --dry-run`,
		RunE: func(c *cobra.Command, _ []string) error {
			show := func(done postgres.Maintained, err error) error {
				if err != nil {
					return err
				}
				return a.Result(done, func() { showMaintained(a, done, dry) })
			}
			if dry {
				return database(c.Context(), a, func(db *postgres.Database) error { return show(db.Maintain(c.Context(), dry, nil)) }, looking)
			}
			return database(c.Context(), a, func(db *postgres.Database) error {
				q, err := job.Open(c.Context(), db)
				if err != nil {
					return err
				}
				defer q.Close()
				return show(db.Maintain(c.Context(), dry, q.Erase))
			})
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only report what would be erased")
	return c
}

func showMaintained(a *command.App, m postgres.Maintained, dry bool) {
	done := "erased"
	if dry {
		done = "would erase"
	}
	for _, x := range m.Expired {
		a.Line(2, x.Name+": "+done+" "+number.Count(x.Conversations, "conversation")+" older than "+number.Count(x.Days, "day"))
	}
	for _, name := range m.Dropped {
		a.Line(2, "dropped "+name)
	}
	if len(m.Expired) == 0 && len(m.Dropped) == 0 {
		a.Noticef("nothing to erase")
	}
}

func tenantEraseCommand(a *command.App) *cobra.Command {
	var yes bool
	c := onTenant(a, &cobra.Command{
		Use:   "erase NAME [flags]",
		Short: "Erase a tenant permanently, with a proof",
		Long: `Erases a tenant: its conversations, tokens, jobs, limits and audit log, in one
transaction, and destroys its keys. It prints a proof: the rows of each table
before and after, and the keys destroyed; the operator's audit log keeps it.
This cannot be undone, so it asks first; without a terminal, pass --yes.

Backups are not in reach of this command. docs/life.md says how to keep the keys
apart from them, so that an older backup cannot bring an erased tenant back.
What a tenant without encryption wrote remains in freed pages until PostgreSQL
reuses them; VACUUM FULL ends that.`,
		Example: `  tenfold tenant export kitchen --to kitchen.zip
  tenfold tenant erase kitchen`,
	}, 1, "a NAME", func(ctx context.Context, t aTenant, _ []string) error {
		return erase(ctx, a, t, yes)
	})
	c.Flags().BoolVarP(&yes, "yes", "y", false, "erase without asking")
	return c
}

func erase(ctx context.Context, a *command.App, t aTenant, yes bool) error {
	if !yes {
		u, err := t.registry.Usage(ctx, t.ID)
		if err != nil {
			return err
		}
		question := "permanently erase tenant " + t.Name + " with " + number.Count(int(u.Conversations), "conversation") + " and " + number.CountOf(int(u.Entries), "entry", "entries") + "?"
		ok, err := a.Confirm(ctx, question, command.Usage("cannot prompt: stdin is not a terminal", "add --yes to erase without asking"))
		if err != nil {
			return err
		}
		if !ok {
			a.Noticef("nothing erased")
			return nil
		}
	}
	q, err := job.Open(ctx, t.database)
	if err != nil {
		return err
	}
	defer q.Close()
	proof, err := t.database.Erase(ctx, t.Name, operator.Token+" ", func(ctx context.Context, tx pgx.Tx, tenant int) (postgres.ErasedTable, error) {
		jobs, err := q.EraseAll(ctx, tx, tenant)
		return postgres.ErasedTable{Name: "jobs", Before: jobs}, err
	})
	if err != nil {
		return err
	}
	return a.Result(proof, func() {
		a.Line(2, a.Paint(terminal.Bold, "erased tenant "+proof.Name)+" (tenant "+strconv.Itoa(proof.Tenant)+") at "+proof.Audit)
		for _, table := range proof.Tables {
			if table.Before > 0 {
				a.Line(2, "  "+table.Name+": "+number.Count(int(table.Before), "row")+", now "+strconv.Itoa(int(table.After)))
			}
		}
		var keys []string
		for _, v := range proof.Keys {
			keys = append(keys, strconv.Itoa(v))
		}
		if len(keys) == 0 {
			a.Line(2, "  no keys: it was not encrypted, and freed pages hold its text until they are reused")
		} else {
			a.Line(2, "  destroyed keys: "+strings.Join(keys, ", "))
		}
		if proof.Problem != "" {
			a.Warn(proof.Problem)
		}
	})
}

// did is what whoever runs the server did to a tenant.
func did(action string) tenant.Event { return tenant.Event{Actor: operator, Action: action} }

func recordEncryption(id int) func(ctx context.Context, tx pgx.Tx) error {
	return tenant.RecordIn(id, did("tenant encrypt"))
}

// aTenant is one of a database, and who keeps what there is of it.
type aTenant struct {
	tenant.Tenant
	registry *tenant.Registry
	database *postgres.Database
}

// ofTenant runs f on the tenant of a name.
func ofTenant(ctx context.Context, a *command.App, name string, f func(aTenant) error, more ...postgres.Option) error {
	return database(ctx, a, func(db *postgres.Database) error {
		r := tenant.NewRegistry(db)
		t, err := r.Find(ctx, name)
		if err != nil {
			return err
		}
		return f(aTenant{t, r, db})
	}, more...)
}

// onTenant completes a command whose arguments are those that are named, a tenant the first of
// them.
func onTenant(a *command.App, c *cobra.Command, arguments int, named string, run func(ctx context.Context, t aTenant, args []string) error, more ...postgres.Option) *cobra.Command {
	c.Args = command.Arguments(arguments, arguments, named)
	c.RunE = func(c *cobra.Command, args []string) error {
		return ofTenant(c.Context(), a, args[0], func(t aTenant) error { return run(c.Context(), t, args[1:]) }, more...)
	}
	return c
}
