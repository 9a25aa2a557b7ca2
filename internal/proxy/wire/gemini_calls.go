package wire

import (
	"sort"
	"sync"
)

// geminiCalls has the ids of the calls and results of a request, by the place of each part in
// the body, as copies of a request may have some of its messages only. They are found for all
// contents of an answer and all with its results at once: a client may send a stream back as a
// content for each chunk, and a content for each result.
type geminiCalls struct {
	mu    sync.Mutex
	whole *Request
	ids   map[int]geminiID
}

// A geminiID is the id of a call, or of the call that a result answers; again tells that
// another result did before.
type geminiID struct {
	id    string
	again bool
}

// of gives the id of a call or a result at a place.
func (c *geminiCalls) of(place int) geminiID {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.ids[place]
	if !ok {
		c.read(place)
		id = c.ids[place]
	}
	return id
}

// read finds the ids of the contents around a place.
func (c *geminiCalls) read(place int) {
	all := c.whole.Messages
	first := sort.Search(len(all), func(i int) bool { return all[i].To > place })
	for first > 0 && first < len(all) && !all[first].Model && !all[first-1].Model {
		first--
	}
	for first > 0 && all[first-1].Model {
		first--
	}
	open := geminiOpen{open: map[geminiKey][]string{}, answered: map[string]bool{}, given: map[string]string{}, names: nameless{}}
	for i := first; i < len(all) && (i == first || !all[i].Model || all[i-1].Model); i++ {
		m, _ := messageOf(c.whole, i, "parts") // whoever reads that content says what is wrong
		for _, at := range m.blocks {
			switch part, err := geminiPartAt(c.whole.Body, at); {
			case err != nil:
			case part.isCall:
				c.ids[at.From] = geminiID{id: open.call(part.named(c.whole.Body, part.call))}
			case part.isResult:
				id, again := open.result(part.named(c.whole.Body, part.result))
				c.ids[at.From] = geminiID{id, again}
			}
		}
	}
}

// geminiOpen are the calls that a content may answer.
type geminiOpen struct {
	open     map[geminiKey][]string // in the order of the calls; some are answered by now
	answered map[string]bool
	given    map[string]string // by the ids they came with
	names    nameless
}

// A geminiKey is what finds a call: the id it came with and its tool, the id alone, its tool
// where it came without one, or its tool alone.
type geminiKey struct{ by, given, tool string }

// call gives the id of a call.
func (c *geminiOpen) call(given, tool string) string {
	id := c.names.id(tool)
	keys := []geminiKey{{"tool", "", tool}, {"nameless", "", tool}}
	if given != "" {
		c.given[given] = id
		keys = append(keys[:1], geminiKey{"both", given, tool}, geminiKey{"id", given, ""})
	}
	for _, key := range keys {
		c.open[key] = append(c.open[key], id)
	}
	return id
}

// result gives the call that a result answers, by the id it came with or else by its tool,
// whatever id a client makes up for the result.
func (c *geminiOpen) result(given, tool string) (id string, again bool) {
	for _, key := range []geminiKey{{"both", given, tool}, {"id", given, ""}, {"nameless", "", tool}, {"tool", "", tool}} {
		if id, again = c.given[given]; again && key.given == "" {
			return id, true
		}
		for open := c.open[key]; len(open) > 0; open = c.open[key] {
			c.open[key] = open[1:]
			if id = open[0]; !c.answered[id] {
				c.answered[id] = true
				return id, false
			}
		}
	}
	return given, false
}
