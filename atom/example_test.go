package atom_test

import (
	"fmt"

	"tenfold/atom"
)

func ExampleScan() {
	line := "    12\tfix parseHeader in src/http/request.go:88"
	for kind, at := range atom.Scan(line) {
		fmt.Println(kind, at.Of(line))
	}
	// Output:
	// identifier parseHeader
	// path src/http/request.go
}
