package config

import "testing"

// M1a: what a conversation says of a model is told apart from what whoever runs
// the program says.
func TestOwn(t *testing.T) {
	const said = `{"tenfold":{"model":{"name":"theirs/m"},"conversation":{"compaction":{"summarizer_model":"theirs/s","keep_last":1}}}}`
	summarizer := []string{"conversation", "compaction", "summarizer_model"}
	model := []string{"model", "name"}
	for _, tt := range []struct {
		name                   string
		user, workspace        string
		environ, flags, extras []string
		key                    []string
		own, other             string
		kind                   Kind
		trusted                bool
	}{
		{name: "nobody", key: summarizer},
		{name: "default", key: model},
		{name: "user", user: "model.name = \"mine/m\"", key: model, own: "mine/m", kind: User},
		{name: "workspace", workspace: "model.name = \"ours/m\"", key: model, kind: Default},
		{name: "trusted workspace", workspace: "model.name = \"ours/m\"", trusted: true, key: model, own: "ours/m", kind: Workspace},
		{name: "workspace under a conversation", workspace: "model.name = \"ours/m\"", extras: []string{said}, key: model, other: "theirs/m"},
		{name: "environment", environ: []string{"HOME=/h", "TENFOLD_MASTER_KEY=k", "TENFOLD_STORE=memory:", "TENFOLD_MODEL_NAME=mine/m", "A=b"}, key: model, own: "mine/m", kind: Environment},
		{name: "conversation", extras: []string{said}, key: summarizer, other: "theirs/s"},
		{name: "conversation over the user", user: "model.name = \"mine/m\"", extras: []string{said}, key: model, own: "mine/m", other: "theirs/m", kind: User},
		{name: "flag over the conversation", flags: []string{"model.name=mine/m"}, extras: []string{said}, key: model, own: "mine/m", kind: Flag},
		{name: "both the same", user: "model.name = \"theirs/m\"", extras: []string{said}, key: model, own: "theirs/m", kind: User},
		{name: "no text", extras: []string{said}, key: []string{"conversation", "compaction", "keep_last"}, kind: Default},
		{name: "in no table", user: "[conversation.compaction.profiles.x]\nsummary = \"summarize\"", key: []string{"conversation", "compaction", "profiles", "x", "summary", "model"}},
	} {
		read := layered
		if tt.trusted {
			read = trusting
		}
		l, err := read(t, tt.user, tt.workspace, tt.environ, tt.flags)
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.With(tt.extras...)
		if err != nil {
			t.Fatal(err)
		}
		own, origin, said := e.Own(tt.key...)
		if own != tt.own || said != tt.other || (own != "" && origin.Kind != tt.kind) {
			t.Errorf("%s: %q by %s, said %q", tt.name, own, origin, said)
		}
	}
}
