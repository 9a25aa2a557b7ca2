// Package graceful ends HTTP servers.
package graceful

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve answers requests until ctx ends. What is under way then has so long to come
// to its end, and is cut. It closes the listener.
func Serve(ctx context.Context, server *http.Server, l net.Listener, goodbye time.Duration) error {
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
		defer cancel()
		if server.Shutdown(soon) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(l)
	if !stop() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
