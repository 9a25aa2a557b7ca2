package keeper_test

import (
	"fmt"
	"strings"
	"testing"
)

// X2a: tools that an operator adds or takes away in mid-conversation stay so however often the
// conversation is compacted: the request says so in these messages alone.
func TestX2aChangesOfToolsStay(t *testing.T) {
	t.Parallel()
	c := newClient(newPlace(t), "one")
	c.live.Request.Options.Window = 20_000
	c.restart()
	definition := strings.Repeat("Looks up what the weather will be. ", 300)
	const removal = `{"type":"tool_removal","tool":{"type":"tool_reference","name":"get_weather"}}`
	added := `{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"forecast","description":` + quoted(definition) + `,"input_schema":{"type":"object"}}}}`
	c.user("Read all of them.")
	c.messages = append(c.messages, `{"role":"system","content":[`+said("The forecast is there now.")+`,`+added+`]}`)
	for n := range 60 {
		ex := c.send()
		if sent := string(ex.Body()); strings.Count(sent, added) != 1 || n > 10 && strings.Count(sent, removal) != 1 {
			t.Fatalf("step %d, %d epochs: what changes the tools is not there:\n%s", n, c.status().Epochs, sent)
		}
		c.answered(ex, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"file_path":"/w/file_%d.go"}}`, n, n))
		c.messages = append(c.messages, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":[%s]}]}`, n, said(strings.Repeat(fmt.Sprintf("line of file %d\n", n), 300))))
		if n == 10 {
			c.messages = append(c.messages, `{"role":"system","content":[`+removal+`]}`)
		}
		if n%20 == 19 {
			c.answered(c.send(), said("These are read."))
			c.user(fmt.Sprintf("Go on with the next ones, part %d.", n))
		}
	}
	if c.status().Epochs < 3 {
		t.Fatalf("%d epochs; %q", c.status().Epochs, c.failures())
	}
	c.close()
}
