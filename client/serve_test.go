package client_test

import (
	"net/http/httptest"

	"tenfold"
	"tenfold/internal/report"
	"tenfold/internal/web"
	"tenfold/internal/web/shape"
	"tenfold/session"
	"tenfold/store/memory"
	"tenfold/strategy"
)

// lent is as much of the program as the examples need.
type lent struct {
	web.Backend
	service *session.Service
}

func (l lent) Service() *session.Service                   { return l.service }
func (l lent) Active() (string, error)                     { return "", nil }
func (l lent) Meta() shape.Meta                            { return shape.Meta{Version: "example"} }
func (l lent) Live(*session.Session) (session.Live, error) { return session.Live{}, nil }
func (l lent) Request(_ *session.Session, w shape.Wish, dry bool) (p web.Prepared, err error) {
	p.Finish = func(*report.Report) error { return nil }
	p.Request.Options.DryRun = dry
	p.Request.Bounds.Tail = &tenfold.Tail{Turns: 1}
	p.Request.Strategies = make([]strategy.Strategy, len(w.Strategies))
	for i, text := range w.Strategies {
		if p.Request.Strategies[i], err = strategy.Parse(text); err != nil {
			return p, err
		}
	}
	return p, nil
}

// serve starts a server, as "tenfold serve" does.
func serve() (address string, stop func()) {
	st := memory.New()
	s := web.New(web.Options{Backend: lent{service: session.NewService(st)}})
	h := httptest.NewServer(s)
	return h.URL, func() { h.Close(); _ = s.Close(); _ = st.Close() }
}
