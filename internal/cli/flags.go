package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenfold"
	"tenfold/problem"
)

// parsed is a flag whose text is parsed when the command line is read; nil
// until it is given. It implements pflag.Value.
type parsed[T any] struct {
	text  string
	value *T
	parse func(string) (T, error)
}

// String implements pflag.Value.
func (p *parsed[T]) String() string { return p.text }

// Type implements pflag.Value.
func (*parsed[T]) Type() string { return "" }

// Set implements pflag.Value.
func (p *parsed[T]) Set(text string) error {
	v, err := p.parse(text)
	if err == nil {
		p.text, p.value = text, &v
	}
	return err
}

// turnsFlag adds --turns.
func turnsFlag(c *cobra.Command) *parsed[turnRange] {
	p := &parsed[turnRange]{text: "..", value: &turnRange{}, parse: parseTurns}
	c.Flags().Var(p, "turns", "show only turns `A..B`, both inclusive")
	return p
}

// exclusive is the error for two flags that contradict each other.
func exclusive(one, other string) error {
	return usage(one+" and "+other+" cannot be used together", "use one of them")
}

// badValue is the error for the value of a flag. What to write instead is the hint
// of a parser's error, or its text.
func badValue(flag, text string, err error) error {
	return usage("invalid "+flag+" value "+quote(text), cmp.Or(explain(err).Hint, err.Error()))
}

// flagError is the error for flags that cannot be read.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		switch f.Value.Type() {
		case "int":
			err = errors.New("write a number")
		case "bool":
			err = errors.New("write true or false, or nothing")
		default:
			err = invalid.Unwrap()
		}
		return badValue("--"+f.Name, invalid.GetValue(), err)
	}
	hint := `"` + c.CommandPath() + ` --help" lists the flags`
	if near := nearestFlag(c, err); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usage(strings.TrimSuffix(err.Error(), "."), hint)
}

// nearestFlag is the flag that an unknown one is most likely a misspelling of;
// empty if none is close.
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

// joinFrom joins "--from" with the bound that follows it, if one does: the
// flag may stand alone, so the flag parser would take "5" for an argument.
func joinFrom(args []string) []string {
	out := make([]string, 0, len(args))
	first := true
	for i := 0; i < len(args); i++ {
		if args[i] == "--" || first && args[i] == "run" { // the rest is a client's
			return append(out, args[i:]...)
		}
		first = first && strings.HasPrefix(args[i], "-")
		if args[i] == "--from" && i+1 < len(args) {
			if _, err := tenfold.ParseBound(args[i+1]); err == nil {
				out = append(out, "--from="+args[i+1])
				i++
				continue
			}
		}
		out = append(out, args[i])
	}
	return out
}
