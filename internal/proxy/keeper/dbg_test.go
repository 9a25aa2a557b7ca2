package keeper_test

import "fmt"

func (w *world) dump() {
	for _, id := range w.conversations() {
		fmt.Println("CONV", id)
		for e := range w.open(id).Log().Entries() {
			fmt.Printf("  %d %s %s %.60v\n", e.Seq, e.ID, e.Payload.Kind(), e.Payload)
		}
	}
	for _, c := range w.clients {
		fmt.Println("CLIENT", c.base, tokens(c.messages[1:]))
	}
	for _, c := range w.told {
		fmt.Println("TOLD", c)
	}
}
