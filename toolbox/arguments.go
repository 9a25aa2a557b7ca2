package toolbox

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenfold/internal/rawjson"
	"tenfold/toolbox/internal/output"
)

// A parameter is an argument that a tool takes: a text, or a whole number.
type parameter struct {
	name, about      string
	number, required bool
}

// arguments are those of a call. What was not given, or null, is in neither.
type arguments struct {
	texts   map[string]string
	numbers map[string]int
}

// decode reads the arguments of a call. Models write numbers as texts now and
// then, which is understood; an argument that the tool does not have is an error,
// because whoever gives one expects it to count.
func decode(tool string, parameters []parameter, raw string) (arguments, error) {
	a := arguments{map[string]string{}, map[string]int{}}
	members := map[string]jsontext.Value{}
	if strings.TrimSpace(raw) != "" {
		if err := json.Unmarshal([]byte(raw), &members); err != nil {
			return a, fmt.Errorf("the arguments are not a valid JSON object; expected %s", names(parameters))
		}
	}
	for name, value := range members {
		at := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == name })
		if at < 0 {
			return a, fmt.Errorf("%s has no argument %q; it takes %s", tool, output.Line(name, 40), names(parameters))
		}
		if value.Kind() == 'n' {
			continue
		}
		if err := a.set(parameters[at], value); err != nil {
			return a, err
		}
	}
	for _, p := range parameters {
		_, isText := a.texts[p.name]
		_, isNumber := a.numbers[p.name]
		if p.required && !isText && !isNumber {
			return a, fmt.Errorf("argument %q is missing; %s takes %s", p.name, tool, names(parameters))
		}
	}
	return a, nil
}

func (a arguments) set(p parameter, value jsontext.Value) error {
	text := string(value)
	if value.Kind() == '"' {
		if err := json.Unmarshal(value, &text); err != nil {
			return fmt.Errorf("argument %q is not valid UTF-8", p.name)
		}
	} else if !p.number {
		return fmt.Errorf("argument %q must be a string", p.name)
	}
	if !p.number {
		a.texts[p.name] = text
		return nil
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if (value.Kind() != '"' && value.Kind() != '0') || err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return fmt.Errorf("argument %q must be a whole number, not %s", p.name, output.Line(text, 40))
	}
	a.numbers[p.name] = int(number)
	return nil
}

// names lists parameters for an error; those that need not be given in brackets.
func names(parameters []parameter) string {
	var list []string
	for _, p := range parameters {
		if name := p.name; p.required {
			list = append(list, name)
		} else {
			list = append(list, "["+name+"]")
		}
	}
	return strings.Join(list, ", ")
}

// schema writes the JSON Schema of parameters, always the same.
func schema(parameters []parameter) string {
	properties, required := []string{}, []string{}
	for _, p := range parameters {
		kind := "string"
		if p.number {
			kind = "integer"
		}
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q,"description":%s}`, p.name, kind, rawjson.Quote(p.about)))
		if p.required {
			required = append(required, strconv.Quote(p.name))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, strings.Join(properties, ","), strings.Join(required, ","))
}
