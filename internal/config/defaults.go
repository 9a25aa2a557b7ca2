package config

import _ "embed"

//go:embed defaults.toml
var defaultsText []byte

// defaults is the lowest layer.
func defaults() (*node, error) {
	n, err := parseTOML(Default, "defaults.toml", defaultsText)
	if err != nil {
		return nil, err
	}
	n.eachOrigin(func(o *Origin) { *o = Origin{} })
	return n, nil
}

func (n *node) eachOrigin(f func(*Origin)) {
	f(&n.origin)
	for _, inner := range n.table {
		inner.eachOrigin(f)
	}
}
