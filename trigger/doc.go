// Package trigger says when a conversation is to be compacted (semantics §5).
// A [Trigger] looks at a [View], which is counts of what a model would see,
// and never at texts; it answers yes or no, with a reason that can be shown.
//
//	when, err := trigger.Parse("80%")
//	…
//	if fires, why := when.Fires(trigger.Look(projection)); fires {
//		fmt.Println("compacting:", why)
//	}
//
// In configuration and flags a trigger is a threshold: "80%" of the model's
// window, "150k" tokens used, "-20k" tokens left, "off". The longer form names
// them as the rules do: "turns(20)", "any(80%, turns(20))", "always".
//
// "cache(20k, 5m)" is [CacheAware]: it weighs what a compaction would free
// against what the provider's prompt cache loses by it. It alone needs more than
// counts: a plan, and when the cache was last used, both in View.Cache.
//
// A [Watcher] keeps a view up with a projection at the cost of what was
// appended.
package trigger
