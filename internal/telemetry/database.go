package telemetry

import (
	"cmp"
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

type statementKey struct{}

// A statement is under way.
type statement struct {
	in    *instruments
	span  trace.Span
	start time.Time
	about []attribute.KeyValue
}

// BeginStatement begins a statement of PostgreSQL. Of its text only the kind and the
// first table of ours are told. It has a span only within another one: what is done
// in the background would be traces of one statement.
func BeginStatement(ctx context.Context, sql string) context.Context {
	in := using()
	if in == nil {
		return ctx
	}
	kind, table := kindOf(sql)
	s := &statement{in: in, start: time.Now(), about: []attribute.KeyValue{keySystem.String("postgresql"), keyStatement.String(kind)}}
	if table != "" {
		s.about = append(s.about, keyTable.String(table))
	}
	if trace.SpanContextFromContext(ctx).IsValid() {
		ctx, s.span = in.span(ctx, strings.TrimSpace(kind+" "+table), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(s.about...))
	}
	return context.WithValue(ctx, statementKey{}, s)
}

// EndStatement ends the statement of a context: code is that of the server's error,
// empty for none; failed tells of any other.
func EndStatement(ctx context.Context, code string, failed bool) {
	if using() == nil {
		return
	}
	s, ok := ctx.Value(statementKey{}).(*statement)
	if !ok {
		return
	}
	how := s.about
	switch {
	case code != "":
		how = append(how[:len(how):len(how)], keyCode.String(code), keyErrorType.String(code))
	case failed:
		how = append(how[:len(how):len(how)], keyErrorType.String(string(Failed)))
	}
	s.in.statement.Record(ctx, time.Since(s.start).Seconds(), with(ctx, how...))
	if s.span == nil {
		return
	}
	if len(how) > len(s.about) {
		s.span.SetAttributes(how[len(s.about):]...)
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// Retried tells that a call of the database is tried again, and after which error of
// the server; empty for one of the connection.
func Retried(ctx context.Context, code string) {
	if in := using(); in != nil {
		code = cmp.Or(code, "connection")
		in.retries.Add(ctx, 1, with(ctx, keyErrorType.String(code)))
	}
}

// kinds of statements, and what to look for in their text: of a statement that
// begins with WITH, what it writes.
var kinds = []string{"INSERT", "UPDATE", "DELETE", "COPY", "CREATE", "ALTER", "DROP", "LISTEN", "UNLISTEN", "NOTIFY", "BEGIN", "COMMIT", "ROLLBACK", "SET", "SELECT"}

// kindOf gives what a statement does, one of kinds or [other], and the first table
// of ours in it.
func kindOf(sql string) (kind, table string) {
	text := strings.TrimLeft(sql, " \t\n(")
	kind = other
	first, _, _ := strings.Cut(text, " ")
	first = strings.ToUpper(strings.TrimRight(first, ";\n"))
	for _, k := range kinds {
		if first == k || first == "WITH" && strings.Contains(text, k+" ") {
			kind = k
			break
		}
	}
	for _, prefix := range []string{"river_", "tenfold_"} {
		if at := strings.Index(text, prefix); at >= 0 {
			end := at
			for end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] == '_') {
				end++
			}
			// A partition has its month in its name, a function a bracket behind it.
			if end == len(text) || text[end] != '(' {
				return kind, strings.TrimRight(text[at:end], "_")
			}
		}
	}
	return kind, ""
}

// ObserveConnections has the connections of a pool be counted, by state, until stop
// is called.
func ObserveConnections(read Gauge, most int64) (stop func()) {
	in := using()
	if in == nil {
		return func() {}
	}
	count, _ := in.meter.Int64ObservableUpDownCounter(metricConnections, metric.WithUnit("{connection}"), metric.WithDescription("Connections of the pool, by state."))
	limit, _ := in.meter.Int64ObservableUpDownCounter(metricMaxConnections, metric.WithUnit("{connection}"), metric.WithDescription("The most connections that the pool opens."))
	return in.observe(func(ctx context.Context, o metric.Observer) {
		o.ObserveInt64(limit, most)
		for _, r := range read(ctx) {
			o.ObserveInt64(count, r.Value, metric.WithAttributes(keyConnectionState.String(r.State)))
		}
	}, count, limit)
}
