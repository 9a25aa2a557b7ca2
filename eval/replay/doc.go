// Package replay works out what the input of a conversation's requests costs by the
// rules of the provider's prompt cache, by sending them again on paper: [Run] under a
// policy that is fired at every request or by a rule, and as it was with what the
// client compacted by itself; [Live] through the controller of a live conversation, as
// the proxy asks it; [MoneyOf] what a conversation's own compactions and ours saved and
// cost. It calls no model and writes nothing.
package replay
