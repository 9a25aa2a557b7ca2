package eval_test

import (
	"context"
	"fmt"

	"tenfold/eval"
)

// What two policies leave of a session after half of its requests, of the names
// that its next thirty requests use.
func ExampleRun() {
	o := eval.Options{Cuts: []int{50}, Horizons: []int{30}}
	for _, text := range []string{"none", "keep-newest-10", "fit:target=10%"} {
		p, err := eval.ParsePolicy(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		o.Policies = append(o.Policies, p)
	}
	files := []eval.File{{Path: "../examples/session.jsonl", Name: "a session", Source: "examples"}}
	result, err := eval.Run(context.Background(), files, o, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range result.Sessions[0].Cells {
		cur, _ := c.Recalls[0].CUR.Value()
		fmt.Printf("%s: %d → %d tokens, CUR %.2f\n", c.Policy, c.Before, c.After, cur)
	}
	// Output:
	// none: 162090 → 162090 tokens, CUR 1.00
	// keep-newest-10: 162090 → 51039 tokens, CUR 0.57
	// fit:target=10%: 162090 → 17038 tokens, CUR 0.96
}
