package archive_test

import (
	"bytes"
	"context"
	"fmt"

	"tenfold"
	"tenfold/store"
	"tenfold/store/archive"
	"tenfold/store/memory"
)

// All of a store, written to a zip file.
func ExampleWrite() {
	ctx := context.Background()
	st := memory.New()
	err := st.Create(ctx, store.Conversation{ID: "chat"}, tenfold.Entry{Seq: 1, ID: "m1", Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	to, finish := archive.Zip(&file)
	total, err := archive.Write(ctx, st, to)
	if err == nil {
		err = finish()
	}
	fmt.Println(total.Conversations, total.Entries, err)
	// Output:
	// 1 1 <nil>
}
