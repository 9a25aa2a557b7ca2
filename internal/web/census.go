package web

import (
	"context"
	"sync"
	"time"

	"tenfold/session"
	"tenfold/store"
)

const (
	// shortList is how many conversations are listed anew whenever somebody asks.
	shortList = 5000
	// listStays is for how long a longer list is used: an index of each order, kept by
	// the store, would have each append write to all of them.
	listStays = time.Minute
)

// A census is the whole list of conversations, the one last appended to first: what is
// told of all of them, and orders that the store has no index of, are made of it.
type census struct {
	service *session.Service
	short   int // shortList

	mu   sync.Mutex
	all  []store.Conversation // nobody changes it
	read time.Time
}

// list gives the list, and when it was read. Who asks while it is read waits for that.
func (c *census) list(ctx context.Context) ([]store.Conversation, time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.all != nil && now.Sub(c.read) < listStays {
		return c.all, c.read, nil
	}
	all := make([]store.Conversation, 0, len(c.all))
	for one, err := range c.service.List(ctx) {
		if err != nil {
			return nil, now, err
		}
		all = append(all, one)
	}
	if c.all = nil; len(all) > c.short {
		c.all, c.read = all, now
		time.AfterFunc(listStays, c.forget) // it takes memory
	}
	return all, now, nil
}

// forget has the list read anew.
func (c *census) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = nil
}
