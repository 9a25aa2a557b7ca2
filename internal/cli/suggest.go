package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenfold/problem"
)

// nearestFlag gives the flag that somebody may have meant who wrote one that
// is not there; empty when none is near.
func nearestFlag(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := problem.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return "--" + near
	}
	return ""
}
