package token_test

import (
	"fmt"

	"tenfold/token"
)

func Example() {
	counter := token.O200k()
	used := counter.Count("You are a helpful assistant.") + counter.Count("What is a token?")
	window, _ := token.Windows{}.Window("claude-sonnet-4-5-20250929")
	fmt.Printf("%d of %d tokens\n", used, window)
	// Output: 11 of 200000 tokens
}

func ExampleO200k() {
	fmt.Println(token.O200k().Count("tokenization isn't trivial"))
	// Output: 4
}

func ExampleEncoding_Encode() {
	e := token.O200k()
	for _, id := range e.Encode("unbelievably") {
		fmt.Printf("%d %q\n", id, e.Decode([]uint32{id}))
	}
	// Output:
	// 373 "un"
	// 9880 "bel"
	// 153516 "ievably"
}

func ExampleNamed() {
	for _, name := range []string{"o200k_base", "cl100k_base", "chars/4"} {
		counter, err := token.Named(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(counter.Name(), counter.Count("日本語を数える"))
	}
	// Output:
	// o200k_base 5
	// cl100k_base 8
	// chars/4 2
}

func ExampleScale() {
	// A provider that counts 138 tokens where o200k counts 100.
	scale := token.Scale{Percent: 138, Requests: 40}
	fmt.Println(scale.Tokens(50_000), scale.Source())
	fmt.Println(scale.Estimated(50_000)) // what a target of 50k allows of estimated tokens
	// Output:
	// 69000 calibrated
	// 36232
}

func ExampleWindows() {
	windows := token.Windows{}.With("my-model", 32_000)
	fmt.Println(windows.Window("local/my-model-7b"))
	fmt.Println(windows.Window("gpt-4o-2024-08-06"))
	fmt.Println(windows.Window("something else"))
	// Output:
	// 32000 true
	// 128000 true
	// 128000 false
}
