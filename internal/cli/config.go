package cli

import "github.com/spf13/cobra"

func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Look at the configuration, and change it",
		Long: `Shows and changes the configuration. Values are layered; later layers override
earlier ones:

  what comes with the program
  your file, tenfold/config.toml where your system keeps configuration,
    or the one that --config names
  the workspace's file, .tenfold/config.toml in the working directory or above;
    until you trust it ("tenfold config trust") it may choose strategies,
    profiles and tails, and nothing about models, addresses, keys or directories
  the environment: TENFOLD_ and the key in capitals, with _ for each dot,
    as in TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=5
  what a conversation keeps, having been compacted with --cfg; --cfg KEY= takes
    it back
  --cfg KEY=VALUE

Tables merge, all else replaces. A key that there is not is an error.`,
		Example: `  tenfold config show --origin
  tenfold config edit
  tenfold --cfg conversation.compaction.keep_last=5 config show`,
		Args: cobra.ArbitraryArgs,
		RunE: group,
	}
	c.AddCommand(a.configShowCommand(), a.configSchemaCommand(), a.configEditCommand(), a.configTrustCommand())
	return c
}
