package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	neturl "net/url"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"tenfold/store"
	"tenfold/store/internal/engine"
	"tenfold/store/internal/row"
	"tenfold/store/vault"
)

// hints say what to try, by the server's code.
var hints = map[string]string{
	codeReadOnly:    "the server is read-only: use the address of the primary",
	"28000":         "check the user in the URL and the server's pg_hba.conf",
	"28P01":         "check the user and the password in the URL, or PGPASSWORD",
	"3D000":         "check the database in the URL, or create it with createdb",
	codeForbidden:   "grant the user CREATE on the schema, and access to the tables tenfold_*",
	"TF002":         "use a newer tenfold",
	codeNoTable:     "the tables were dropped: open the store again to create them, or restore a backup",
	"53100":         engine.NoRoom + " on the server and try again; nothing was written",
	"53200":         "the server is out of memory: write less at once",
	codeConnections: "the server is out of connections: raise its max_connections, or lower pool_max_conns in the URL",
	codeTimeout:     "it exceeded statement_timeout: raise it in the URL, or check what the server waits for",
	codeStarting:    "the server is starting or stopping: wait and try again",
	codeShutdown:    "the server stopped: start it and try again",
	codeCrash:       "the server stopped: start it and try again",
}

// hint says what to try.
func hint(err error) string {
	var connect *pgconn.ConnectError
	var name *net.DNSError
	var server *pgconn.PgError
	h, known := hints[Code(err)]
	switch {
	case errors.Is(err, errNotBelow):
		return "use a plain user, or as a superuser run CREATE ROLE tenfold_app and GRANT tenfold_app TO the user"
	case errors.Is(err, errAbove):
		return "use a plain user, or run ALTER ROLE tenfold_app NOSUPERUSER NOBYPASSRLS"
	case errors.As(err, &server) && server.Code == codeOld:
		return server.Hint
	case errors.Is(err, errNoSchema):
		return "create it, or leave search_path out of the URL"
	case errors.Is(err, errSlow):
		return "check that the server can be reached, and what it waits for"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, store.ErrClosed):
		return ""
	case known:
		return h
	case errors.Is(err, vault.ErrTampered):
		return "somebody changed the tables: restore a backup"
	case errors.Is(err, vault.ErrMaster):
		return "give the master key that wraps the keys of this database, on a line after the new one if there is one"
	case errors.Is(err, vault.ErrNoKey):
		return "its key was destroyed, or tenfold_keys was not restored with the other tables"
	case errors.Is(err, vault.ErrNoMaster):
		return "set " + vault.EnvKey + ", " + vault.EnvFile + " or " + vault.EnvCommand
	case errors.Is(err, row.ErrDamaged), errors.Is(err, engine.ErrGap):
		return "the tables are damaged: restore a backup"
	case errors.As(err, &name):
		return "check the host in the URL"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return "no server listens there: start it, or check the host and port in the URL"
	case errors.As(err, &connect):
		return "check the URL, and that the server can be reached"
	case troubleOf(err) == lost:
		return "the connection was lost: check whether it was done before you try again"
	case kindOf(err) == lost:
		return "the connection was lost, and nothing was done: try again"
	}
	return ""
}

// unreadable says what is wrong with a URL, and does not repeat it: it holds
// a password, and where it ends is what could not be read.
func unreadable(url string, err error) error {
	const form = "use postgres://user:password@host:port/database, with %-escapes for characters other than letters and digits in the password"
	u, failed := neturl.Parse(url)
	if failed != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return errors.New("the store's URL cannot be read: " + form)
	}
	if parse, ok := errors.AsType[*pgconn.ParseConfigError](err); ok && parse.Unwrap() != nil {
		err = parse.Unwrap()
	}
	text := err.Error()
	secrets := []string{u.Query().Get("password"), u.Query().Get("sslpassword"), u.RawQuery}
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password, neturl.QueryEscape(password), neturl.PathEscape(password), u.User.String())
	}
	for _, secret := range secrets {
		if secret != "" && strings.Contains(text, secret) {
			return errors.New("the store's URL cannot be read: " + form)
		}
	}
	return fmt.Errorf("the store's URL cannot be read: %s: %s", text, form)
}
