package store

// Work is a compaction that an append makes due. A store with a queue (package
// fleet/job) keeps it in the same step as the entries; any other ignores it. It
// holds numbers and names of strategies, and nothing of what was said.
type Work struct {
	// Prefix, Policy and Step tell one piece of work on a conversation from
	// another: a queue takes each once. Prefix names what a provider has cached of
	// the conversation: the view as its last change left it, which stays the same
	// until the next one. Policy is what is to be run. Step counts how far the view
	// has grown beyond the limit, so that what came to nothing is tried again only
	// when there is more.
	Prefix, Policy string
	Step           int
	// Tokens is the size of the view with the entries, and Limit what it may have,
	// both by the provider's count.
	Tokens, Limit int
}
