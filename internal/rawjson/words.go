package rawjson

import (
	"cmp"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Words says why a text could not be read, in words of JSON and not of Go.
func Words(err error) string {
	text := err.Error()
	if odd, ok := errors.AsType[*json.SemanticError](err); ok {
		text = strings.Replace(text, odd.Error(), misfit(odd), 1)
	}
	return strings.ReplaceAll(text, "jsontext: ", "")
}

func misfit(odd *json.SemanticError) string {
	where, found, want := cmp.Or(string(odd.JSONPointer), "it"), kinds[odd.JSONKind], wanted(odd.GoType)
	switch {
	case errors.Is(odd, json.ErrUnknownName):
		return where + " is not known here"
	case want == "" || found == "":
		return where + " is of another type than it should be"
	case len(odd.JSONValue) > 0 || odd.GoType == reflect.TypeFor[time.Time](): // a number or a string of the wrong form
		return where + " should be " + want
	}
	return where + " is " + found + ", not " + want
}

var kinds = map[jsontext.Kind]string{'n': "null", 't': "a truth value", 'f': "a truth value", '"': "a string", '0': "a number", '{': "an object", '[': "a list"}

func wanted(t reflect.Type) string {
	switch {
	case t == nil:
		return ""
	case t == reflect.TypeFor[time.Time]():
		return "a time such as 2006-01-02T15:04:05Z"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	}
	return ""
}
