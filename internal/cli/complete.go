package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tenfold/strategy"
)

// completeIDs lets the shell complete ids of conversations, at most so many; 0 is
// no limit.
func (a *app) completeIDs(most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if most > 0 && len(args) >= most {
			return nil, none
		}
		l, err := a.open(c.Context())
		if err != nil {
			return nil, none
		}
		var ids []cobra.Completion
		for found, err := range l.service.List(c.Context()) {
			if err != nil {
				return nil, none
			}
			ids = append(ids, cobra.CompletionWithDesc(visibleLine(found.ID), excerpt(found.Title, titleWidth)))
		}
		return ids, none
	}
}

// complete lets the shell complete a flag that takes one of some names. A flag
// that is not there is no error here: it is one where it is read.
func complete(c *cobra.Command, flag string, names ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// profileNames lists the profiles that --profile takes.
func profileNames() []string {
	return slices.Sorted(maps.Keys(strategy.Profiles()))
}
