package main

import (
	"fmt"
	"regexp"
	"strings"

	"tenfold"
	"tenfold/provider/script"
)

// clerk plays the model. It counts its steps, and that is all that it keeps to
// itself: what it writes into files it has from what the request shows, as any
// model has. What it read hundreds of steps ago it has to recall.
type clerk struct {
	steps []func(seen string) script.Answer
	next  int
	// found and lost count the facts that recall gave back, and did not.
	found, lost int
}

// requests are what the person asks, one after the other.
var requests = []string{
	"Read the ledger of every part, in ledger/. Never touch anything under archive/. Widths are in millimetres.",
	"The parts are all made. Set the state of each ledger from open to done, and commit after every quarter.",
	"For each part write a file plans/PART.txt with the line \"width: N mm\". You have read the ledgers; do not read them again.",
	"Check the work, commit it, and tell me how it went.",
}

// newClerk writes down the steps of the work.
func newClerk(parts int) *clerk {
	c := &clerk{}
	say := func(text string) { c.add(func(string) script.Answer { return script.Text(text) }) }
	c.plan(0)
	for i := range parts {
		c.callf("I read the ledger of "+partName(i)+".", "fs_read_file", `{"path":%q}`, ledger(i))
	}
	say("I have read all ledgers.")
	c.plan(1)
	for i := range parts {
		c.callf(partName(i)+" is made.", "fs_modify_file", `{"path":%q,"old":"State: open","new":"State: done"}`, ledger(i))
		if quarter := max(1, parts/4); (i+1)%quarter == 0 {
			c.callf("A quarter is done.", "git_commit", `{"message":%q}`, fmt.Sprintf("Set the first %d parts to done", i+1))
		}
	}
	say("All parts are done.")
	c.plan(2)
	for i := range parts {
		c.callf("How wide was "+partName(i)+"?", "recall", `{"query":%q}`, "width of part "+partName(i))
		c.write(i)
	}
	say("All plans are written.")
	c.plan(3)
	c.callf("I look at what there is.", "fs_list_files", `{"path":"plans"}`)
	c.callf("I look at what changed.", "git_diff", `{"path":"archive"}`)
	c.callf("I commit.", "git_commit", `{"message":"Write the plans"}`)
	c.callf("I count them.", "shell", `{"command":"ls plans"}`)
	say("All ledgers are done, and each part has its plan.")
	return c
}

func (c *clerk) add(step func(seen string) script.Answer) { c.steps = append(c.steps, step) }

// callf adds a step that says something and calls a tool.
func (c *clerk) callf(text, tool, format string, values ...any) {
	c.add(func(string) script.Answer { return c.calling(text, tool, fmt.Sprintf(format, values...)) })
}

func (c *clerk) calling(text, tool, arguments string) script.Answer {
	return script.Answer{Blocks: []tenfold.Payload{
		tenfold.AssistantMessage{Text: text},
		tenfold.ToolCall{CallID: fmt.Sprintf("call_%d", c.next), Name: tool, Arguments: arguments},
	}}
}

// plan adds the step that writes down how far the work is.
func (c *clerk) plan(now int) {
	var items []string
	for i, text := range []string{"Read the ledgers", "Set them to done", "Write the plans", "Check and commit"} {
		status := "pending"
		switch {
		case i < now:
			status = "completed"
		case i == now:
			status = "in_progress"
		}
		items = append(items, fmt.Sprintf(`{"text":%q,"status":%q}`, text, status))
	}
	c.callf("This is where I am.", "plan", `{"items":[%s]}`, strings.Join(items, ","))
}

// write adds the step that writes a plan: the width is the one that recall has just
// given back.
func (c *clerk) write(i int) {
	width := regexp.MustCompile(`Width of part ` + partName(i) + `: (\d+) mm`)
	c.add(func(seen string) script.Answer {
		fact := "unknown"
		if m := width.FindStringSubmatch(seen); m != nil {
			fact = m[1]
			c.found++
		} else {
			c.lost++
		}
		return c.calling("It goes into its plan.", "fs_create_file", fmt.Sprintf(`{"path":"plans/%s.txt","content":"width: %s mm\n"}`, partName(i), fact))
	})
}

// answer plays the next step.
func (c *clerk) answer(r script.Shown) script.Answer {
	if c.next == len(c.steps) {
		return script.Text("There is nothing left to do.")
	}
	c.next++
	return c.steps[c.next-1](lastResult(r.View))
}

// lastResult is the newest result that the request shows.
func lastResult(view *tenfold.Projection) (text string) {
	for item := range view.Items() {
		if r, ok := item.Payload.(tenfold.ToolResult); ok {
			text = r.Parts[0].Text
		}
	}
	return text
}
