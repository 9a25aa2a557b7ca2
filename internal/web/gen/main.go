// Gen writes the OpenAPI document of the API into a file.
package main

import (
	"log"
	"os"

	"tenfold/internal/web"
)

func main() {
	document, err := web.Document()
	if err == nil {
		err = os.WriteFile(os.Args[1], document, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}
