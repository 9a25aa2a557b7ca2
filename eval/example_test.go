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
		kept, _ := c.Kept.Value()
		cur, _ := c.Recalls[0].CUR.Value()
		fmt.Printf("%s: keeps %.0f %%, CUR %.1f\n", c.Policy, 100*kept, cur)
	}
	// Output:
	// none: keeps 100 %, CUR 1.0
	// keep-newest-10: keeps 31 %, CUR 0.6
	// fit:target=10%: keeps 10 %, CUR 0.8
}
