package token_test

import (
	"encoding/json"
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

func ExampleEncodingFor() {
	fmt.Println(token.EncodingFor("openai/gpt-4-0613").Name())
	fmt.Println(token.EncodingFor("claude-opus-4-5").Name())
	// Output:
	// cl100k_base
	// o200k_base
}

func ExampleCalibration() {
	var c token.Calibration
	fmt.Println(c.Estimate("gpt-4o", 50_000))
	c.Observe("gpt-4o", 10_000, 11_000) // estimated, and what the provider then reported
	fmt.Println(c.Estimate("gpt-4o", 50_000))
	fmt.Println(token.Reported(51_300))

	stored, err := json.Marshal(&c)
	fmt.Println(string(stored), err)
	// Output:
	// {50000 estimate}
	// {51500 calibrated}
	// {51300 provider}
	// {"models":{"gpt-4o":{"ratio":1.03,"observations":1}}} <nil>
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
