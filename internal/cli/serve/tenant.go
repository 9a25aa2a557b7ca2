package serve

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tenfold/fleet/tenant"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/listing"
	"tenfold/internal/number"
	"tenfold/problem"
	"tenfold/store"
	"tenfold/store/postgres"
)

// TenantCommand is "tenfold tenant".
func TenantCommand(a *command.App) *cobra.Command {
	return command.NewGroup(
		&cobra.Command{
			Use:   "tenant",
			Short: "Manage the tenants of a shared database",
			Long: `Manages tenants: those who share a PostgreSQL store, each with conversations,
tokens, limits and an audit log of its own. Needs the database's URL in --store
or TENFOLD_STORE, so that only whoever runs the database can do it. "tenfold
token" makes the tokens with which programs use a server.`,
			Example: `  tenfold tenant create kitchen --max-bytes 10G --requests-per-second 50
  tenfold tenant ls
  tenfold tenant audit kitchen --since 7d`,
		},
		tenantCreateCommand(a), tenantListCommand(a), tenantLimitsCommand(a), tenantAuditCommand(a),
		tenantEncryptCommand(a), tenantRekeyCommand(a), tenantExportCommand(a), tenantImportCommand(a), tenantRetainCommand(a), tenantEraseCommand(a),
	)
}

// looking has a command that only looks leave a database of another release as it is.
var looking = postgres.WithoutUpgrade()

// database runs f on the store's database.
func database(ctx context.Context, a *command.App, f func(*postgres.Database) error, more ...postgres.Option) error {
	if !command.IsPostgres(a.URL()) {
		hint := "choose a PostgreSQL store with --store postgres://… or TENFOLD_STORE; other stores are for one person"
		if command.IsServer(a.URL()) {
			hint = "use the database's URL; over a server, a token with the scope admin manages its own tenant's tokens at /api/tokens"
		}
		return &problem.Error{Code: "single_tenant", Problem: "the store has no tenants", Hint: hint}
	}
	options, err := a.DatabaseOptions(ctx)
	if err != nil {
		return err
	}
	db, err := postgres.OpenDatabase(ctx, a.URL(), append(options, more...)...)
	if errors.Is(err, store.ErrOlder) {
		return older(err)
	}
	if err != nil {
		return command.Hinted(err, "store", command.OtherStore)
	}
	return errors.Join(f(db), db.Close())
}

// older says of a database of an earlier release how it is looked at, or upgraded.
func older(err error) error {
	return command.Hinted(err, "older", `"tenfold serve" makes or upgrades it; the program that servers run now can look at it before`)
}

// operator is who uses the command line with the database's URL.
var operator = tenant.Actor{Token: tenant.Operator}

// limitFlags are the flags that set limits. Those that are not given stay.
type limitFlags struct {
	entries, bytes command.Parsed[*int64]
	jobs, days     command.Parsed[*int]
	atOnce         command.Parsed[int]
	rate           command.Parsed[*float64]
	models         command.Parsed[bool]
}

func (f *limitFlags) register(c *cobra.Command) {
	f.entries.Parse, f.bytes.Parse, f.jobs.Parse, f.days.Parse = parseAmount, parseAmount, parseCount, parseCount
	f.atOnce.Parse, f.rate.Parse, f.models.Parse = parseAtOnce, parseRate, parseModels
	flags := c.Flags()
	flags.Var(&f.entries, "max-entries", "most entries of all conversations together:\n`N`, 500k, 20M, or none")
	flags.Var(&f.bytes, "max-bytes", "most bytes of all conversations together:\n`N`, 500M, 10G, or none")
	flags.Var(&f.jobs, "max-jobs", "most jobs that wait at once: `N`, or none")
	flags.Var(&f.atOnce, "jobs-at-once", "most jobs that run at once: `N` (default 4)")
	flags.Var(&f.rate, "requests-per-second", "most requests a second to each server:\n`N`, or none")
	flags.Var(&f.days, "retain-days", "delete conversations `N` days after their last\nchange, or none for never")
	flags.Var(&f.models, "models", "whether compactions may call the model that the\noperator of the servers pays for: `RULE` allow or\nnone")
	command.Complete(c, "models", allowModels, noLimit)
	for _, name := range []string{"max-entries", "max-bytes", "max-jobs", "jobs-at-once", "requests-per-second", "retain-days"} {
		command.Complete(c, name)
	}
}

// The texts of flags for none, and for models that may be called.
const (
	noLimit     = "none"
	allowModels = "allow"
)

// set changes the limits that flags were given for, and reports whether there are any.
func (f *limitFlags) set(l *tenant.Limits) (given bool) {
	return slices.Contains([]bool{
		put(f.entries, &l.Entries), put(f.bytes, &l.Bytes), put(f.jobs, &l.Jobs), put(f.days, &l.RetainDays),
		put(f.atOnce, &l.JobsAtOnce), put(f.rate, &l.RequestsPerSecond), put(f.models, &l.Models),
	}, true)
}

func put[T any](flag command.Parsed[T], to *T) (given bool) {
	if flag.Value != nil {
		*to = *flag.Value
	}
	return flag.Value != nil
}

// parseAmount reads a number that may end in k, M, G or T; nil is no limit.
func parseAmount(text string) (*int64, error) {
	if text == noLimit {
		return nil, nil //nolint:nilnil // as it says
	}
	factor := int64(1)
	digits := strings.TrimRight(text, "kMGT")
	if unit := text[len(digits):]; unit != "" {
		for range strings.Index("kMGT", unit) + 1 {
			factor *= 1000
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor || len(text) > len(digits)+1 {
		return nil, errors.New("write a number such as 500, 20k or 10G, or none")
	}
	return new(n * factor), nil
}

// parseCount is parseAmount for what is not as many.
func parseCount(text string) (*int, error) {
	n, err := parseAmount(text)
	if n == nil {
		return nil, err
	}
	return new(int(min(*n, math.MaxInt32))), nil
}

func parseAtOnce(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("write a number from 1 on")
	}
	return int(n), nil
}

func parseRate(text string) (*float64, error) {
	if text == noLimit {
		return nil, nil //nolint:nilnil // as it says
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate > 0) { // not so for NaN
		return nil, errors.New("write a number such as 50 or 0.5, or none")
	}
	return &rate, nil
}

func parseModels(text string) (bool, error) {
	if text != allowModels && text != noLimit {
		return false, errors.New("write allow or none")
	}
	return text == allowModels, nil
}

func tenantCreateCommand(a *command.App) *cobra.Command {
	var f limitFlags
	c := &cobra.Command{
		Use:   "create NAME [flags]",
		Short: "Create a tenant",
		Long: `Creates a tenant with conversations, tokens and limits of its own. NAME is up to
63 lower-case letters, digits and dashes. Without flags there are no limits,
except that no model is called for the tenant and at most 4 jobs run at once.
With a master key (see "tenfold tenant encrypt --help") the tenant is encrypted
from the start.`,
		Example: `  tenfold tenant create kitchen
  tenfold tenant create kitchen --max-bytes 10G --requests-per-second 50`,
		Args: command.Arguments(1, 1, "a NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			l := tenant.Limits{JobsAtOnce: 4}
			f.set(&l)
			return database(c.Context(), a, func(db *postgres.Database) error {
				r := tenant.NewRegistry(db)
				t, err := r.Create(c.Context(), operator, args[0], l)
				if err == nil && db.Encrypts() {
					if _, err = db.Encrypt(c.Context(), t.ID, recordEncryption(t.ID)); err == nil {
						t, err = r.Get(c.Context(), t.ID)
					}
				}
				if err != nil {
					return err
				}
				return a.Result(t, func() {
					a.Noticef("created tenant %s, %s; %q makes a token for its programs", t.Name, kept(t), makeToken(t.Name))
				})
			})
		},
	}
	f.register(c)
	return c
}

func tenantListCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "List tenants",
		Long: `Lists the tenants: number, name, conversations, entries, bytes, whether all of
it is encrypted, and limits. The number is what their tokens begin with.`,
		Example: `  tenfold tenant ls
  tenfold tenant ls --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			return database(c.Context(), a, func(db *postgres.Database) error {
				return listTenants(c.Context(), a, tenant.NewRegistry(db))
			}, looking)
		},
	}
}

// tenantJSON is a tenant with what it uses.
type tenantJSON struct {
	tenant.Tenant
	Usage tenant.Usage `json:"usage"`
}

// kept says how a tenant's texts are in the database.
func kept(t tenant.Tenant) string {
	if t.Encrypted == nil {
		return "in the clear"
	}
	return "encrypted"
}

func listTenants(ctx context.Context, a *command.App, r *tenant.Registry) error {
	all, err := r.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		u, err := r.Usage(ctx, t.ID)
		if err != nil {
			return err
		}
		err = a.Result(tenantJSON{t, u}, func() {
			a.Line(4, a.Paint(terminal.Bold, t.Name)+"  "+strings.Join([]string{
				"tenant " + strconv.Itoa(t.ID), number.Count(int(u.Conversations), "conversation"), number.CountOf(int(u.Entries), "entry", "entries"), number.Size(int(u.Bytes)), kept(t),
			}, ", "))
			a.Line(2, "  limits: "+t.String())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func tenantLimitsCommand(a *command.App) *cobra.Command {
	var f limitFlags
	c := &cobra.Command{
		Use:   "limits NAME [flags]",
		Short: "Show or change the limits of a tenant",
		Long: `Changes the limits that flags name, and shows all limits. Servers follow within
seconds. Entries and bytes are sums that each server reads every few seconds, so
that a tenant may get past them by what other servers add meanwhile. Requests
are counted by each server for itself.`,
		Example: `  tenfold tenant limits kitchen
  tenfold tenant limits kitchen --max-bytes 20G --requests-per-second none
  tenfold tenant limits kitchen --models allow`,
		Args: command.Arguments(1, 1, "a NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			var options []postgres.Option
			if !f.set(&tenant.Limits{}) {
				options = append(options, looking)
			}
			return ofTenant(c.Context(), a, args[0], func(t aTenant) error {
				if f.set(&t.Limits) {
					if err := t.registry.SetLimits(c.Context(), operator, t.ID, t.Limits); err != nil {
						return err
					}
				}
				return a.Result(t, func() { a.Line(0, t.String()) })
			}, options...)
		},
	}
	f.register(c)
	return c
}

func tenantAuditCommand(a *command.App) *cobra.Command {
	since := command.Parsed[listing.Moment]{Parse: listing.ParseMoment}
	c := onTenant(a, &cobra.Command{
		Use:   "audit NAME [flags]",
		Short: "Show who did what to a tenant's data",
		Long: `Shows the audit log of a tenant, the newest first: when, who, what, to which
conversation or token, and with what outcome. It records changes of tokens and
limits, compactions, undo (a redo is recorded as one), deletion and export over
a server, and requests refused because a token lacks a scope: once a minute for
each token and operation.`,
		Example: `  tenfold tenant audit kitchen
  tenfold tenant audit kitchen --since 2d --json`,
	}, 1, "a NAME", func(ctx context.Context, t aTenant, _ []string) error {
		page := tenant.Page{Limit: 1000}
		if since.Value != nil {
			page.Since = since.Value.At(a.Now())
		}
		return showAudit(ctx, a, t, page)
	}, looking)
	c.Flags().Var(&since, "since", "only what was done after a `TIME`: 2026-01-31, 5h, 2d")
	command.Complete(c, "since")
	return c
}

func showAudit(ctx context.Context, a *command.App, t aTenant, page tenant.Page) error {
	for {
		events, next, err := t.registry.Events(ctx, t.ID, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := a.Result(e, func() { showEvent(a, e) }); err != nil {
				return err
			}
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
}

func showEvent(a *command.App, e tenant.Event) {
	who := e.Actor.Token
	if e.Actor.Label != "" {
		who += " (" + e.Actor.Label + ")"
	}
	what := strings.TrimSpace(e.Action + " " + e.Subject)
	a.Line(4, a.Paint(terminal.Faint, e.At.Local().Format("2006-01-02 15:04:05"))+"  "+terminal.VisibleLine(who+": "+what+": "+e.Outcome))
}
