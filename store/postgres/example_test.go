package postgres_test

import (
	"context"
	"fmt"
	"log"

	"tenfold/session"
	"tenfold/store/postgres"
)

// Any number of machines may open the same database.
func ExampleOpen() { //nolint:testableexamples // it needs a database
	ctx := context.Background()
	st, err := postgres.Open(ctx, "postgres://tenfold@db.example.com/tenfold")
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	s, err := session.NewService(st).OpenOrCreate(ctx, session.Create{ID: "chat"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Log().Version())
}
