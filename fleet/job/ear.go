package job

import (
	"context"
	"sync"

	"github.com/riverqueue/river/riverdriver"
)

// An ear is River's listener, to which this process can speak as well: of a job that it
// added and has a free hand for, nobody else needs to hear. Else every process would look
// for every job, and all but one in vain.
type ear struct {
	riverdriver.Listener
	mu     sync.Mutex
	spoken bool   // and not yet heard
	rouse  func() // ends the wait for the database's word; nil while there is none
}

func (d *driver) GetListener(p *riverdriver.GetListenenerParams) riverdriver.Listener {
	d.ear.mu.Lock()
	defer d.ear.mu.Unlock()
	d.ear.Listener = d.Driver.GetListener(p)
	return &d.ear
}

// toOwn has the workers of this process look for jobs, where one of them has nothing to
// do. It reports whether it could.
func (d *driver) toOwn() bool { return d.busy.Load() < d.hands.Load() && d.ear.speak() }

func (e *ear) speak() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.rouse == nil {
		return false
	}
	e.spoken = true
	e.rouse()
	return true
}

// WaitForNotification implements riverdriver.Listener.
func (e *ear) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	waiting, rouse := context.WithCancel(ctx)
	defer rouse()
	if e.heard(rouse) {
		return &riverdriver.Notification{Topic: insertTopic, Payload: newJobs}, nil
	}
	n, err := e.Listener.WaitForNotification(waiting)
	if e.heard(nil) && n == nil && ctx.Err() == nil {
		return &riverdriver.Notification{Topic: insertTopic, Payload: newJobs}, nil
	}
	return n, err
}

// heard reports whether this process has spoken since, and says how it can from now on.
func (e *ear) heard(rouse func()) (spoken bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	spoken, e.spoken, e.rouse = e.spoken, false, rouse
	return spoken
}
