package store_test

import (
	"fmt"

	"tenfold/store"
)

// Quoted words of a query stand together; case is ignored.
func ExampleQuery() {
	q := store.Query{Text: `flour "too hot"`}
	fmt.Printf("%q\n", q.Phrases())
	text := "The oven is TOO HOT for this flour."
	for _, m := range q.Marks(text) {
		fmt.Println(text[m[0]:m[1]])
	}
	// Output:
	// ["flour" "too hot"]
	// TOO
	// HOT
	// flour
}
