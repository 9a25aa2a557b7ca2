package remote_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"tenfold"
	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/remote"
)

// One program keeps the store, another uses it over HTTP.
func Example() {
	server := httptest.NewServer(remote.Handler(memory.New()))
	defer server.Close()
	st, err := remote.Open(server.URL, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()
	ctx := context.Background()
	err = st.Create(ctx, store.Conversation{ID: "chat"}, tenfold.Entry{Seq: 1, ID: "m1", Payload: tenfold.UserMessage{Parts: tenfold.Text("hello")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := st.Conversation(ctx, "chat")
	fmt.Println(c.ID, c.Version, err)
	// Output:
	// chat 1 <nil>
}
