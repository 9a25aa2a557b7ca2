package config

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"tenfold/internal/cli/command"
	"tenfold/internal/config"
)

func configSchemaCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration",
		Long: `Prints the JSON Schema of the configuration files, for editors that check and
complete them. With --json it is on one line.`,
		Example: `  tenfold config schema > tenfold.schema.json`,
		RunE:    func(*cobra.Command, []string) error { return configSchema(a) },
	}
}

func configSchema(a *command.App) error {
	s, err := config.Schema()
	if err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err == nil && !a.JSON {
		text, err = json.MarshalIndent(s, "", "  ")
	}
	if err != nil {
		return err
	}
	a.Printf("%s\n", text)
	return nil
}
