package replay_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/eval/replay"
	"tenfold/strategy"
	"tenfold/transcript"
)

// What the requests of a session cost at a model's prices, and would have cost had
// old results been cleared where the cache makes that pay.
func ExampleRun() {
	file, err := transcript.Open("../../examples/session.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	var read transcript.Collector
	if err := transcript.Import(context.Background(), file.Source, "", &read); err != nil {
		fmt.Println(err)
		return
	}
	log := tenfold.NewLog()
	if _, err := log.Append(read.Conversations[0].Entries...); err != nil {
		fmt.Println(err)
		return
	}
	r, err := replay.Run(context.Background(), log, replay.Options{Strategies: []strategy.Strategy{strategy.Micro{KeepRecent: 10}}, Model: "claude-sonnet-4-5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d requests: $%.4f without compaction, $%.4f compacted at each, $%.4f by the rule\n", r.Requests, r.None.Dollars, r.Every.Dollars, r.Rule.Dollars)
	// Output:
	// 91 requests: $3.6631 without compaction, $3.2647 compacted at each, $1.9095 by the rule
}
