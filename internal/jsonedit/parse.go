package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a file that is edited.
const (
	// Largest is the most bytes of a file.
	Largest = 4 << 20
	deepest = 200
)

var bom = []byte("\xef\xbb\xbf")

// node is a value and where it stands in the text.
type node struct {
	start, end int
	// kind is the first byte: '{', '[', or another for what has nothing inside.
	kind    byte
	members []member
	// last is where the last thing inside ends, comments included: the opening
	// bracket, if there is nothing.
	last int
	// comma is where the comma after the last member stands; -1 if there is none.
	comma int
}

// member is one of an object, or with an empty key of a list.
type member struct {
	key   string
	start int // of the key, in a list of the value
	value node
}

// parser reads JSON with comments and trailing commas.
type parser struct {
	text []byte
	at   int
}

// parse reads a whole text. There is no root in one that has nothing but space
// and comments.
func parse(text []byte) (root *node, err error) {
	if len(text) > Largest {
		return nil, fmt.Errorf("larger than %d MiB", Largest>>20)
	}
	p := parser{text: text}
	if bytes.HasPrefix(text, bom) {
		p.at = len(bom)
	}
	if _, err := p.space(); err != nil {
		return nil, err
	}
	if p.at == len(text) {
		return nil, nil //nolint:nilnil // nothing is there, and nothing is wrong
	}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.space(); err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.wrong("unexpected text after the value")
	}
	return &n, nil
}

func (p *parser) wrong(what string) error {
	return fmt.Errorf("line %d: %s", bytes.Count(p.text[:p.at], []byte("\n"))+1, what)
}

// space skips white space and comments, and tells where the last comment ends; -1
// without any.
func (p *parser) space() (comment int, err error) {
	comment = -1
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.at += end
			comment = p.at
			if comment > 0 && p.text[comment-1] == '\r' {
				comment--
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return comment, p.wrong("a comment does not end")
			}
			p.at += end + 4
			comment = p.at
		default:
			return comment, nil
		}
	}
	return comment, nil
}

func (p *parser) value(depth int) (node, error) {
	if p.at == len(p.text) {
		return node{}, p.wrong("unexpected end")
	}
	n := node{start: p.at, kind: p.text[p.at], comma: -1}
	var err error
	switch {
	case depth > deepest:
		err = p.wrong("nested too deeply")
	case n.kind == '{' || n.kind == '[':
		err = p.inside(&n, depth)
	case n.kind == '"':
		_, err = p.quoted()
	default:
		err = p.literal()
	}
	n.end = p.at
	return n, err
}

// inside reads the members of an object or a list.
func (p *parser) inside(n *node, depth int) error {
	closing := n.kind + 2 // in ASCII, for both
	p.at++
	n.last = p.at
	for {
		comment, err := p.space()
		if err != nil {
			return err
		}
		n.last = max(n.last, comment)
		if p.at == len(p.text) {
			return p.wrong("unexpected end")
		}
		if p.text[p.at] == closing {
			p.at++
			return nil
		}
		if len(n.members) > 0 && n.comma < 0 {
			return p.wrong("a comma is missing")
		}
		one := member{start: p.at}
		if n.kind == '{' {
			if one.key, err = p.key(); err != nil {
				return err
			}
		}
		if one.value, err = p.value(depth + 1); err != nil {
			return err
		}
		n.members = append(n.members, one)
		n.last, n.comma = one.value.end, -1
		if comment, err = p.space(); err != nil {
			return err
		}
		n.last = max(n.last, comment)
		if p.at < len(p.text) && p.text[p.at] == ',' {
			n.comma = p.at
			p.at++
			n.last = p.at
		}
	}
}

// key reads a key and the colon after it.
func (p *parser) key() (string, error) {
	if p.text[p.at] != '"' {
		return "", p.wrong("expected a key in double quotes")
	}
	key, err := p.quoted()
	if err != nil {
		return "", err
	}
	if _, err := p.space(); err != nil {
		return "", err
	}
	if p.at == len(p.text) || p.text[p.at] != ':' {
		return "", p.wrong("expected a colon")
	}
	p.at++
	_, err = p.space()
	return key, err
}

// quoted reads a string.
func (p *parser) quoted() (string, error) {
	for i := p.at + 1; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '"':
			out, err := jsontext.AppendUnquote(nil, p.text[p.at:i+1])
			if err != nil {
				return "", p.wrong("invalid string")
			}
			p.at = i + 1
			return string(out), nil
		}
	}
	return "", p.wrong("a string does not end")
}

// literal reads a number or a word.
func (p *parser) literal() error {
	rest := p.text[p.at:]
	end := bytes.IndexAny(rest, " \t\r\n,:]}/")
	if end < 0 {
		end = len(rest)
	}
	if !jsontext.Value(rest[:end]).IsValid() {
		return p.wrong("expected a value")
	}
	p.at += end
	return nil
}

// find gives a member of an object: the last of that name, which readers take.
func (n *node) find(key string) *member {
	for i := range slices.Backward(n.members) {
		if n.members[i].key == key {
			return &n.members[i]
		}
	}
	return nil
}

// ErrTaken says that a member is there already and says something else.
var ErrTaken = errors.New("is set to something else")

// same tells whether a part of a text, which may have comments, is a JSON value.
func same(text []byte, value string) bool {
	plain, err := Plain(text)
	if err != nil {
		return false
	}
	other := jsontext.Value(value).Clone()
	return plain.Canonicalize() == nil && other.Canonicalize() == nil && bytes.Equal(plain, other)
}

// Plain gives the JSON of a text without its comments and trailing commas.
func Plain(text []byte) (jsontext.Value, error) {
	root, err := parse(text)
	if err != nil || root == nil {
		return nil, errors.Join(err, errors.New("no value"))
	}
	var out bytes.Buffer
	root.write(&out, text)
	return jsontext.Value(out.Bytes()), nil
}

func (n *node) write(out *bytes.Buffer, text []byte) {
	if n.kind != '{' && n.kind != '[' {
		out.Write(text[n.start:n.end])
		return
	}
	out.WriteByte(n.kind)
	for i, m := range n.members {
		if i > 0 {
			out.WriteByte(',')
		}
		if n.kind == '{' {
			key, _ := jsontext.AppendQuote(nil, m.key)
			out.Write(key)
			out.WriteByte(':')
		}
		m.value.write(out, text)
	}
	out.WriteByte(n.kind + 2)
}
