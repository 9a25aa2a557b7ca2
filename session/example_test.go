package session_test

import (
	"context"
	"fmt"

	"tenfold"
	"tenfold/session"
	"tenfold/store/memory"
)

func Example() {
	ctx := context.Background()
	st := memory.New()
	defer st.Close()
	svc := session.NewService(st)
	s, err := svc.Create(ctx, session.Create{Title: "list the files", Entries: talk(30)})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := s.Plan(ctx, session.Request{}) // the default profile, all but the last turns
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("would cover turns %s: %d → %d tokens\n", plan.Range, plan.Before, plan.After)
	if _, err := s.Apply(ctx, plan); err != nil {
		fmt.Println(err)
		return
	}
	for it := range s.Projection().Items() {
		if it.Turn < 25 {
			continue
		}
		if r, ok := it.Payload.(tenfold.ToolResult); ok {
			fmt.Printf("turn %d: %s\n", it.Turn, r.Parts[0].Text[:20])
		}
	}
	undone, err := s.Undo(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("undid the compaction of turns %d..%d: %d tokens\n", undone[0].Compaction.FromTurn, undone[0].Compaction.ToTurn, s.Projection().Tokens())
	// Output:
	// would cover turns 0..26: 780 → 682 tokens
	// turn 25: [compacted] shell: d
	// turn 26: [compacted] shell: d
	// turn 27: one file
	// and another
	// turn 28: one file
	// and another
	// turn 29: one file
	// and another
	// undid the compaction of turns 0..26: 780 tokens
}
