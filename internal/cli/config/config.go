// Package config holds the commands of "tenfold config".
package config

import "github.com/spf13/cobra"

import (
	"tenfold/internal/cli/command"
)

// Command is "tenfold config".
func Command(a *command.App) *cobra.Command {
	return command.NewGroup(&cobra.Command{
		Use:   "config",
		Short: "Show and change the configuration",
		Long: `Shows and changes the configuration. Values are layered; later layers override
earlier ones:

  built-in defaults
  your file: tenfold/config.toml in your system's configuration directory, or
    the file of --config
  the workspace's file: .tenfold/config.toml in the working directory or a
    parent; until you trust it ("tenfold config trust"), it can only set
    strategies, profiles and tails, not models, addresses, keys or directories
  the environment: TENFOLD_ and the key in capitals, with _ for each dot,
    as in TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=5
  settings stored with a conversation that was compacted with --cfg; --cfg KEY=
    removes one
  --cfg KEY=VALUE

Tables are merged, other values are replaced. Unknown keys are errors.`,
		Example: `  tenfold config show --origin
  tenfold config edit
  tenfold --cfg conversation.compaction.keep_last=5 config show`,
	}, configShowCommand(a), configSchemaCommand(a), configEditCommand(a), configTrustCommand(a))
}
