package catalog_test

import (
	"fmt"

	"tenfold/provider/catalog"
)

// A server of your own, by a name of your own.
func ExampleCatalog_Open() {
	models := catalog.Catalog{
		Settings: map[string]catalog.Settings{"local": {BaseURL: "http://127.0.0.1:8080/v1"}},
		Getenv:   func(string) string { return "" },
	}
	model, err := models.Open("local/qwen3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Name(), model.Profile().Name)
	_, err = models.Open("anthropic/claude-sonnet-4-5")
	fmt.Println(err)
	// Output:
	// local/qwen3 openai-chat
	// authentication: the environment variable ANTHROPIC_API_KEY is empty
}
