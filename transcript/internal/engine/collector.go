package engine

import (
	"tenfold"
	"tenfold/transcript/internal/intake"
)

// A Collector is a sink that keeps everything in memory.
type Collector struct {
	// Conversations are those that were ended.
	Conversations []Collected
	current       Collected
}

// Collected is one conversation of a [Collector].
type Collected struct {
	intake.Conversation
	Entries  []tenfold.Entry
	Warnings []string
}

func (k *Collector) Begin(c intake.Conversation) error {
	k.current = Collected{Conversation: c}
	return nil
}

func (k *Collector) Entry(e tenfold.Entry) error {
	k.current.Entries = append(k.current.Entries, e)
	return nil
}

func (k *Collector) End(c intake.Conversation, warnings []string) error {
	k.current.Conversation, k.current.Warnings = c, warnings
	k.Conversations = append(k.Conversations, k.current)
	k.current = Collected{}
	return nil
}
