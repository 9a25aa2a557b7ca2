package serve

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/fleet/tenant"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/internal/number"
)

// TokenCommand is "tenfold token".
func TokenCommand(a *command.App) *cobra.Command {
	return command.NewGroup(&cobra.Command{
		Use:   "token",
		Short: "Manage the tokens of tenants",
		Long: `Manages the tokens with which the programs of a tenant use a server. A token has
scopes: read; append, to add what was said; compact, to compact, undo and pin;
and admin, which includes the others, deletes conversations and manages tokens.
Only its hash is stored. Needs the database's URL in --store or TENFOLD_STORE.`,
		Example: `  tenfold token create kitchen --label ci --scopes read,append --expires 90d
  tenfold token rotate kitchen q7x2 --grace 1h
  TENFOLD_TOKEN=tf_… tenfold --store https://HOST conversation ls`,
	}, tokenCreateCommand(a), tokenListCommand(a), tokenRotateCommand(a), tokenRevokeCommand(a))
}

// parseDuration reads "90d", "12h" or "30m"; "0" is none.
func parseDuration(text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	const day, most = 24 * time.Hour, 100_000
	if last := len(text) - 1; last > 0 {
		n, err := strconv.Atoi(text[:last])
		unit := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': day, 'w': 7 * day}[text[last]]
		if err == nil && n > 0 && n < most && unit > 0 {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, errors.New("write a duration such as 90d, 12h or 30m")
}

// madeJSON is a new token, with the secret that nobody can read again.
type madeJSON struct {
	tenant.Token
	Secret string `json:"secret"`
}

// makeToken is a command that makes a token for a tenant's programs.
func makeToken(tenant string) string {
	return "tenfold token create " + tenant + " --label LABEL --scopes read,append,compact"
}

// showMade prints a new token's secret alone, for scripts, and the rest beside it.
func showMade(a *command.App, t tenant.Token, s tenant.Secret) error {
	return a.Result(madeJSON{t, s.Reveal()}, func() {
		a.Printf("%s\n", s.Reveal())
		a.Noticef("created token %s; keep it now, because it cannot be shown again", t.ID)
	})
}

func tokenCreateCommand(a *command.App) *cobra.Command {
	var label string
	scopes := command.Parsed[tenant.Scopes]{Parse: tenant.ParseScopes}
	expires := command.Parsed[time.Duration]{Parse: parseDuration}
	c := &cobra.Command{
		Use:   "create TENANT [flags]",
		Short: "Create a token",
		Long: `Creates a token of a tenant and prints it; it cannot be shown again. Programs
send it as "Authorization: Bearer TOKEN"; the command line takes it from
TENFOLD_TOKEN.`,
		Example: `  tenfold token create kitchen --label ci --scopes read,append --expires 90d
  tenfold token create kitchen --label "Ann's laptop" --scopes admin > token`,
		Args: command.Arguments(1, 1, "a TENANT"),
		RunE: func(c *cobra.Command, args []string) error {
			if label == "" || scopes.Value == nil {
				return command.Usage(c.CommandPath()+" requires --label and --scopes", `for example --label ci --scopes read,append`)
			}
			n := tenant.NewToken{Label: label, Scopes: *scopes.Value, For: expires.Given()}
			return ofTenant(c.Context(), a, args[0], func(t aTenant) error {
				made, secret, err := t.registry.CreateToken(c.Context(), operator, t.ID, n)
				if err != nil {
					return err
				}
				return showMade(a, made, secret)
			})
		},
	}
	c.Flags().StringVar(&label, "label", "", "what the token is for: a `TEXT` that listings show")
	c.Flags().Var(&scopes, "scopes", "what it may do: a `LIST` of read, append, compact and\nadmin, with commas between them")
	c.Flags().Var(&expires, "expires", "how long it is valid: a `TIME` such as 90d or 12h\n(default: until it is revoked)")
	command.Complete(c, "label")
	command.Complete(c, "scopes", "read", "append", "compact", "admin")
	command.Complete(c, "expires")
	return c
}

func tokenListCommand(a *command.App) *cobra.Command {
	return onTenant(a, &cobra.Command{
		Use:   "ls TENANT",
		Short: "List the tokens of a tenant",
		Long: `Lists the tokens of a tenant, the newest first: id, label, scopes, whether it is
valid, when it was used last (to the minute) and when it ends.`,
		Example: `  tenfold token ls kitchen`,
	}, 1, "a TENANT", func(ctx context.Context, t aTenant, _ []string) error {
		all, err := t.registry.Tokens(ctx, t.ID)
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := a.Result(one, func() { showToken(a, one) }); err != nil {
				return err
			}
		}
		if len(all) == 0 {
			a.Noticef("tenant %s has no tokens; %q makes one", t.Name, makeToken(t.Name))
		}
		return nil
	}, looking)
}

func showToken(a *command.App, t tenant.Token) {
	used := "never used"
	if t.Used != nil {
		used = "used " + number.Ago(a.Now(), *t.Used)
	}
	parts := []string{terminal.VisibleLine(t.Label), t.Scopes.String(), t.State, used}
	if t.Expires != nil && t.State == tenant.Valid {
		parts = append(parts, "ends "+t.Expires.Local().Format("2006-01-02 15:04"))
	}
	a.Line(4, a.Paint(terminal.Bold, t.ID)+"  "+strings.Join(parts, ", "))
}

func tokenRotateCommand(a *command.App) *cobra.Command {
	grace := command.Parsed[time.Duration]{Parse: parseDuration}
	c := onTenant(a, &cobra.Command{
		Use:   "rotate TENANT ID [flags]",
		Short: "Replace a token with a new one",
		Long: `Creates a token with the label, the scopes and the time to live of another, and
prints it. The old one ends at once, or after --grace.`,
		Example: `  tenfold token rotate kitchen q7x2 --grace 1h`,
	}, 2, "a TENANT and an ID", func(ctx context.Context, t aTenant, args []string) error {
		old, err := t.registry.FindToken(ctx, t.ID, args[0])
		if err != nil {
			return err
		}
		made, secret, err := t.registry.RotateToken(ctx, operator, t.ID, old.ID, grace.Given())
		if err != nil {
			return err
		}
		return showMade(a, made, secret)
	})
	c.Flags().Var(&grace, "grace", "how long the old token stays valid: a `TIME` such as\n1h or 2d (default: it ends at once)")
	command.Complete(c, "grace")
	return c
}

func tokenRevokeCommand(a *command.App) *cobra.Command {
	return onTenant(a, &cobra.Command{
		Use:     "revoke TENANT ID",
		Short:   "End a token",
		Long:    `Ends a token. Servers refuse it within seconds, and end its streams.`,
		Example: `  tenfold token revoke kitchen q7x2`,
	}, 2, "a TENANT and an ID", func(ctx context.Context, t aTenant, args []string) error {
		one, err := t.registry.FindToken(ctx, t.ID, args[0])
		if err == nil {
			one, err = t.registry.RevokeToken(ctx, operator, t.ID, one.ID)
		}
		if err != nil {
			return err
		}
		return a.Result(one, func() {
			a.Noticef("revoked token %s (%s); servers refuse it within %s", one.ID, terminal.VisibleLine(one.Label), tenant.Fresh)
		})
	})
}
