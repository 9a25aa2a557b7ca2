// Tenfold shortens the conversations of language models without losing a word
// of them. See "tenfold --help".
package main

import (
	"os"

	"tenfold/internal/cli"
)

func main() { os.Exit(cli.Main()) }
