// Package observe holds what the servers "tenfold serve" and "tenfold proxy" have in
// common beside their work: logs, metrics, whether they are ready, and the address
// to show.
package observe

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/telemetry/export"
	"tenfold/internal/web/door"
	"tenfold/problem"
	"tenfold/store"
)

// Server is what a server tells of itself: its log, its metrics, whether it is
// ready. None of it holds a content, a title, a path, a token or a query.
type Server struct {
	*command.App
	Format, Level, metrics string
	labelTenants           bool
}

// Flags gives a command the flags of what it tells of itself.
func (o *Server) Flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Format, "log", "", "`FORMAT` of the log on standard error, text or json\n(default: text, with --json json)")
	f.StringVar(&o.Level, "log-level", "", "log from `LEVEL` on: debug, info (every request),\nwarn or error (default: warn)")
	f.StringVar(&o.metrics, "metrics-addr", "", "serve /metrics for Prometheus at `ADDR`, HOST:PORT,\nto anybody who can reach it, with /healthz and\n/readyz (default: off)")
	f.BoolVar(&o.labelTenants, "label-tenants", false, "add the tenant's name to metrics and traces")
	for name, values := range map[string][]string{"log": {"text", "json"}, "log-level": {"debug", "info", "warn", "error"}} {
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	command.Complete(c, "metrics-addr")
}

// Logger writes to standard error, from a level on unless a flag sets another.
func (o *Server) Logger(usual slog.Level) (*slog.Logger, error) {
	log.SetOutput(io.Discard) // net/http quotes what it cannot read there
	level := usual
	if o.Level != "" && level.UnmarshalText([]byte(o.Level)) != nil || strings.ContainsAny(o.Level, "+-") {
		return nil, command.Usage("invalid --log-level value "+command.Quote(o.Level), "use debug, info, warn or error")
	}
	if o.Quiet && o.Level == "" {
		level = slog.LevelError
	}
	to := &slog.HandlerOptions{Level: level}
	switch {
	case o.Format == "json", o.Format == "" && o.JSON:
		return slog.New(slog.NewJSONHandler(o.Err, to)), nil
	case o.Format == "text", o.Format == "":
		return slog.New(slog.NewTextHandler(o.Err, to)), nil
	}
	return nil, command.Usage("invalid --log value "+command.Quote(o.Format), "use text or json")
}

// Export begins to export what is measured; before the store is opened, whose
// connections count. Stop it when all else has ended.
func (o *Server) Export(ctx context.Context, to *slog.Logger) (*export.Exports, func(), error) {
	o.StoreLog = to
	exports, err := export.Start(ctx, export.Options{Version: command.Version(), Prometheus: o.metrics != "", LabelTenants: o.labelTenants, Log: to})
	return exports, func() {
		if err := exports.Stop(ctx); err != nil {
			to.Warn("the last of the telemetry was not exported")
		}
	}, err
}

// ServeMetrics answers at --metrics-addr, until it is stopped.
func (o *Server) ServeMetrics(ctx context.Context, exports *export.Exports, health *door.Health) (stop func(), err error) {
	if o.metrics == "" {
		return func() {}, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.metrics)
	if err != nil {
		return nil, &problem.Error{Op: "serve metrics at", Subject: o.metrics, Hint: "choose another HOST:PORT with --metrics-addr", Err: err}
	}
	o.StoreLog.Info("metrics are served", "address", l.Addr().String())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", exports.Metrics)
	open, closing := context.WithCancel(context.WithoutCancel(ctx)) // to the end: what drains is watched
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = door.Serve(open, l, health.Handler(mux), log.New(io.Discard, "", 0))
	}()
	return func() {
		closing()
		<-done
	}, nil
}

// Until gives a context that ends some time after ctx, in which the server answers
// requests but says that it is not ready: whoever sends them here learns of it first.
func Until(ctx context.Context, health *door.Health, drain time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := context.AfterFunc(ctx, func() {
		health.Ending()
		wait := time.NewTimer(drain)
		defer wait.Stop()
		select {
		case <-wait.C:
			cancel()
		case <-later.Done():
		}
	})
	return later, func() {
		ended()
		cancel()
	}
}

// Ready asks whether a store can be used; by a server that is for writing, whether it
// can be written.
func Ready(st store.Store, writing bool) func(context.Context) error {
	if knows, ok := st.(interface {
		Ready(ctx context.Context, writing bool) error
	}); ok {
		return func(ctx context.Context) error { return knows.Ready(ctx, writing) }
	}
	return func(ctx context.Context) error {
		_, err := st.Conversation(ctx, "readyz")
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	}
}

// ShownAddress gives the address under which clients reach a listener, and the
// names that they may call it by.
func ShownAddress(said, listening string) (shown string, hosts []string) {
	host, _, err := net.SplitHostPort(said)
	if err != nil {
		return listening, nil
	}
	_, port, err := net.SplitHostPort(listening)
	if err != nil {
		return listening, nil
	}
	ip, err := netip.ParseAddr(host)
	if host == "" || err == nil && ip.IsUnspecified() {
		name, err := os.Hostname()
		if err != nil {
			return listening, nil
		}
		host = name
	}
	return net.JoinHostPort(host, port), []string{strings.ToLower(host)}
}
