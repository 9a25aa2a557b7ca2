package memory_test

import (
	"context"
	"errors"
	"fmt"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
)

// Of two writers at one version the first wins; the other learns the version.
func Example() {
	ctx := context.Background()
	st := memory.New()
	defer st.Close()
	if err := st.Create(ctx, store.Conversation{ID: "chat"}); err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"first", "second"} {
		version, err := st.Append(ctx, store.Batch{Conversation: "chat", Entries: []tenfold.Entry{
			{ID: text, Payload: tenfold.UserMessage{Parts: tenfold.Text(text)}},
		}})
		var conflict *store.ConflictError
		if errors.As(err, &conflict) {
			fmt.Println(text, "came too late: the log is at version", conflict.Actual)
			continue
		}
		fmt.Println(text, version, err)
	}
	// Output:
	// first 1 <nil>
	// second came too late: the log is at version 1
}
