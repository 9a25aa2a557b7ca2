package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tenfold"
	"tenfold/store"
	"tenfold/store/sqlite"
)

// What was appended is there when the file is opened again, and can be searched.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tenfold.db")
	if err := write(path); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	st, err := sqlite.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()
	hits, err := st.Search(ctx, store.Query{Text: "cake"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range hits {
		fmt.Println(h.Conversation, h.Entry.Seq, tenfold.SearchText(h.Entry.Payload))
	}
	// Output:
	// chat 1 the cake is in the oven
}

func write(path string) error {
	ctx := context.Background()
	st, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer st.Close()
	return st.Create(ctx, store.Conversation{ID: "chat"}, tenfold.Entry{
		Seq: 1, ID: "m1", Payload: tenfold.UserMessage{Parts: tenfold.Text("the cake is in the oven")},
	})
}
