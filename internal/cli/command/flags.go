package command

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenfold/internal/cli/terminal"
	"tenfold/problem"
)

// Parsed is a flag whose text is parsed when the command line is read; nil
// until it is given. It implements pflag.Value.
type Parsed[T any] struct {
	Text  string
	Value *T
	Parse func(string) (T, error)
}

func (p *Parsed[T]) String() string { return p.Text }

func (*Parsed[T]) Type() string { return "" }

func (p *Parsed[T]) Set(text string) error {
	v, err := p.Parse(text)
	if err == nil {
		p.Text, p.Value = text, &v
	}
	return err
}

// Given is the value; the zero one where the flag is not given.
func (p *Parsed[T]) Given() (v T) {
	if p.Value != nil {
		v = *p.Value
	}
	return v
}

// Exclusive is the error for two flags that contradict each other.
func Exclusive(one, other string) error {
	return Usage(one+" and "+other+" cannot be used together", "use one of them")
}

// BadValue is the error for the value of a flag. What to write instead is the hint
// of a parser's error, or its text.
func BadValue(flag, text string, err error) error {
	return Usage("invalid "+flag+" value "+Quote(text), cmp.Or(Explain(err).Hint, err.Error()))
}

// FlagError is the error for flags that cannot be read.
func FlagError(c *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		switch f.Value.Type() {
		case "int", "float64":
			err = errors.New("write a number")
		case "duration":
			err = errors.New("write a number with its unit: 90s, 10m")
		case "bool":
			err = errors.New("write true or false, or nothing")
		default:
			err = invalid.Unwrap()
		}
		return BadValue("--"+f.Name, invalid.GetValue(), err)
	}
	hint := `"` + c.CommandPath() + ` --help" lists the flags`
	if near := nearestFlag(c, err); near != "" {
		hint = "did you mean " + near + "?"
	}
	return Usage(strings.TrimSuffix(err.Error(), "."), hint)
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

// Sentence wraps a sentence of a help text that lists formats.
func Sentence(text string) string { return terminal.Fill(text, 79) }

// Arguments checks the number of arguments; most below zero is no limit.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := "usage: " + c.UseLine()
		switch {
		case len(args) < least:
			return Usage(c.CommandPath()+" requires "+what, hint)
		case most >= 0 && len(args) > most:
			return Usage(c.CommandPath()+": unexpected argument "+Quote(args[most]), hint)
		}
		return nil
	}
}
