package wire_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenfold"
)

// An operator's words among Anthropic's messages stand between the user's and the model's,
// whatever goes of what stood around them; else the vendor refuses the request (X2a).
func TestX2aAnOperatorsWordsStandBeforeTheModels(t *testing.T) {
	t.Parallel()
	const (
		go1    = `{"role":"user","content":"go"}`
		one    = `{"role":"assistant","content":"one"}`
		two    = `{"role":"user","content":"two"}`
		three  = `{"role":"assistant","content":"three"}`
		four   = `{"role":"user","content":"four"}`
		left   = `{"role":"system","content":"left"}`
		effort = `{"role":"system","content":[],"output_config":{"effort":"low"}}`
		high   = `{"role":"system","content":[],"output_config":{"effort":"high"}}`
		tool   = `{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"n"}}]}`
		once   = `{"role":"system","content":"hurry","clear_at":"next_user_message"}`
		on     = `{"role":"user","content":[{"type":"text","text":"[The work goes on]"}]}`
		both   = `{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"two"}]}`
		all    = `{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"two"},{"type":"text","text":"four"}]}`
	)
	claude := vendors()[0]
	body := func(messages ...string) string { return strings.Join(messages, ",") }
	for name, c := range map[string]struct {
		body string
		gone []string
		upto int // 0 for all
		want string
	}{
		"nothing goes":                     {body(go1, left, one, two, left, once, three, four, effort), nil, 0, body(go1, left, one, two, left, once, three, four, effort)},
		"what the model said":              {body(go1, left, one, two, three), []string{"one"}, 0, body(both, left, three)},
		"what the user said":               {body(go1, one, two, left, three), []string{"two"}, 0, body(go1, one, on, left, three)},
		"both":                             {body(go1, left, one, two, tool, three), []string{"one", "two"}, 0, body(go1, left, tool, three)},
		"all before":                       {body(go1, left, one, two), []string{"go"}, 0, body(`{"role":"user","content":[{"type":"text","text":"[Conversation continues]"}]}`, left, one, two)},
		"all after":                        {body(go1, left, one, two), []string{"one", "two"}, 0, body(go1, left)},
		"words that had ended":             {body(go1, once, one, two, once, three), []string{"one"}, 0, body(both, once, three)},
		"the effort stays where it was":    {body(go1, one, effort, two, three), []string{"one"}, 0, body(go1, effort, two, three)},
		"the last effort of those set":     {body(go1, effort, one, two, high, three, four), []string{"one"}, 0, body(both, high, three, four)},
		"the effort beside words":          {body(go1, left, one, effort, two, three), []string{"one"}, 0, body(go1, effort, two, left, three)},
		"the effort before what is gone":   {body(go1, one, effort, two, three), []string{"two"}, 0, body(go1, one, on, effort, three)},
		"before the user's":                {body(go1, left, one, two, three), []string{"one"}, 3, body(`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"<system-reminder>\nleft\n</system-reminder>"}]}`)},
		"before the user's, had ended":     {body(go1, once, one, two, three), []string{"one"}, 3, body(go1)},
		"before the user's, tools":         {body(go1, tool, one, two, three), []string{"one"}, 3, body(go1, tool, `{"role":"assistant","content":[{"type":"text","text":"[The work goes on]"}]}`)},
		"before the user's, behind effort": {body(go1, left, one, two, effort, three, four), []string{"one", "two", "three"}, 6, body(`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"<system-reminder>\nleft\n</system-reminder>"}]}`, effort)},
		"before the model's":               {body(go1, left, one, two, three, four), []string{"one"}, 4, body(both, left)},
		"before an operator's":             {body(go1, left, one, two, tool, three), []string{"one"}, 4, body(both, left)},
		"the later effort":                 {body(go1, effort, one, high, two, three, four), []string{"one"}, 0, body(both, high, three, four)},
		"the effort beside hidden words":   {body(go1, `{"role":"system","content":"left","output_config":{"effort":"max"}}`, one, two), []string{"left"}, 0, body(go1, `{"role":"system","content":[],"output_config":{"effort":"max"}}`, one, two)},
		"tools in words that had ended":    {body(go1, `{"role":"system","content":[{"type":"text","text":"hurry"},`+tool[len(`{"role":"system","content":[`):len(tool)-1]+`,"clear_at":"next_user_message"}`, one, two, three), []string{"one"}, 0, body(both, strings.TrimSuffix(tool, "}")+`,"clear_at":"next_user_message"}`, three)},
		"before the user's, with effort":   {body(go1, strings.TrimSuffix(left, "}")+`,"output_config":{"effort":"max"}}`, one, two, three), []string{"one"}, 3, body(`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"<system-reminder>\nleft\n</system-reminder>"}]}`, `{"role":"system","content":[],"output_config":{"effort":"max"}}`)},
		"before the user's, other effort":  {body(go1, strings.TrimSuffix(left, "}")+`,"output_config":{"effort":"max"}}`, strings.TrimSuffix(tool, "}")+`,"output_config":{"effort":"low"}}`, one, two, three), []string{"one"}, 4, body(`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"<system-reminder>\nleft\n</system-reminder>"}]}`, strings.TrimSuffix(tool, "}")+`,"output_config":{"effort":"low"}}`, `{"role":"assistant","content":[{"type":"text","text":"[The work goes on]"}]}`)},
		"before the user's, effort alone":  {body(go1, one, effort, two, three), []string{"go", "one"}, 3, body(`{"role":"user","content":[{"type":"text","text":"[Conversation continues]"}]}`, effort)},
		"the request's end":                {body(go1, left, one, two, three, four), []string{"one", "three"}, 0, body(all, left)},
	} {
		change := map[string]tenfold.Payload{}
		for _, text := range c.gone {
			change["user "+text], change["assistant "+text] = nil, nil
		}
		if got := editedUpto(t, claude, `{"messages":[`+c.body+`]}`, c.upto, change); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// So it is whatever else goes, and wherever the rest follows as it came: what changes the tools
// stays, and the effort that was set last holds (X2a, X3, P10).
func TestX3AnOperatorsWordsMeetWhatFollows(t *testing.T) {
	t.Parallel()
	claude := vendors()[0]
	rapid.Check(t, func(t *rapid.T) {
		var messages []string
		change := map[string]tenfold.Payload{}
		text := func(words string) string { return `{"type":"text","text":"` + words + `"}` }
		say := func(role, blocks string) {
			messages = append(messages, `{"role":"`+role+`","content":[`+blocks+`]}`)
		}
		gone := func(name string) {
			if rapid.Bool().Draw(t, "gone") {
				change[name] = nil
			}
		}
		efforts, tools := 0, 0
		effort := func() string {
			efforts++
			return fmt.Sprintf(`,"output_config":{"effort":"e%d"}}`, efforts)
		}
		removal := func() string {
			tools++
			return fmt.Sprintf(`{"type":"tool_removal","tool":{"type":"tool_reference","name":"n%d"}}`, tools)
		}
		n := rapid.IntRange(1, 8).Draw(t, "steps")
		for i := range n {
			user := fmt.Sprintf("u%d", i)
			say("user", text(user))
			gone("user " + user)
			for j := range rapid.IntRange(0, 2).Draw(t, "operator's") {
				words := fmt.Sprintf("s%d-%d", i, j)
				gone("user " + words)
				say("system", text(words))
				last := &messages[len(messages)-1]
				switch rapid.IntRange(0, 6).Draw(t, "kind") {
				case 0:
					*last = strings.TrimSuffix(*last, "}") + `,"clear_at":"next_user_message"}`
				case 1:
					*last = `{"role":"system","content":[` + removal() + `]}`
				case 2:
					*last = `{"role":"system","content":[` + text(words) + `,` + removal() + `],"clear_at":"next_user_message"}`
				case 3:
					*last = `{"role":"system","content":[]` + effort()
				case 4:
					*last = strings.TrimSuffix(*last, "}") + effort()
				case 5:
					*last = strings.TrimSuffix(*last, "}") + `,"clear_at":"next_user_message"` + effort()
				}
			}
			if i == n-1 && !rapid.Bool().Draw(t, "answered") {
				break
			}
			said := fmt.Sprintf("a%d", i)
			blocks := text(said)
			if rapid.Bool().Draw(t, "thinks") {
				blocks = `{"type":"thinking","thinking":"` + said + `","signature":"x"},` + blocks
			}
			say("assistant", blocks)
			gone("assistant " + said)
			if i < n-1 && rapid.Bool().Draw(t, "effort") {
				messages = append(messages, `{"role":"system","content":[]`+effort())
			}
		}
		upto := rapid.IntRange(1, len(messages)).Draw(t, "upto")
		got := editedUpto(t, claude, `{"messages":[`+strings.Join(messages, ",")+`]}`, upto, change)
		whole := strings.TrimPrefix(strings.Join(append([]string{got}, messages[upto:]...), ","), ",")
		bad := misplaced(claude, whole)
		for i := range tools {
			if strings.Count(whole, fmt.Sprintf(`"n%d"`, i+1)) != 1 {
				bad = append(bad, fmt.Sprintf("tool n%d", i+1))
			}
		}
		if last := regexp.MustCompile(`"e\d+"`).FindAllString(whole, -1); efforts > 0 && (len(last) == 0 || last[len(last)-1] != fmt.Sprintf(`"e%d"`, efforts)) {
			bad = append(bad, fmt.Sprintf("efforts %v of %d", last, efforts))
		}
		if len(bad) > 0 {
			t.Fatalf("%q in\n%s\nof\n%s\nup to %d", bad, whole, strings.Join(messages, "\n"), upto)
		}
	})
}

// misplaced is what the vendor would refuse of messages; those that set the effort alone may
// stand anywhere but first.
func misplaced(v vendor, messages string) (bad []string) {
	if strings.HasPrefix(messages, `{"role":"system"`) {
		bad = append(bad, "an operator's message begins")
	}
	alone := regexp.MustCompile(`\{"role":"system","content":\[\],[^{}]*\{[^{}]*\}\},?`)
	messages = strings.TrimSuffix(alone.ReplaceAllString(messages, ""), ",")
	for _, violation := range v.profile.Check([]byte(`{"messages":[` + messages + `]}`)) {
		// Two messages of the user's in a row are taken as one.
		if !strings.Contains(violation.String(), `"user" where "assistant" must stand`) {
			bad = append(bad, violation.String())
		}
	}
	return bad
}
