package door

import (
	"context"
	"log"
	"net"
	"net/http"
	"time"

	"tenfold/internal/graceful"
)

const (
	// longestHeader is in bytes: the cookies of all servers of a host are sent here.
	longestHeader = 64 << 10
	// headerWait is how long the head of a request may take, idleWait how long a
	// connection without one stays.
	headerWait, idleWait = 10 * time.Second, 2 * time.Minute
	// goodbye is how long requests under way may take once the server is to end.
	goodbye = 5 * time.Second
)

// Serve answers requests until ctx ends. Then the contexts of all requests end too,
// so that streams close and nothing begins; what is being written has a few seconds.
// It closes the listener.
func Serve(ctx context.Context, l net.Listener, h http.Handler, errs *log.Logger) error {
	return graceful.Serve(ctx, &http.Server{
		Handler: h, MaxHeaderBytes: longestHeader, ReadHeaderTimeout: headerWait, IdleTimeout: idleWait, ErrorLog: errs,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}, l, goodbye)
}
