package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenfold"
	"tenfold/fleet/job"
	"tenfold/internal/cli"
	"tenfold/internal/cli/command"
	"tenfold/internal/cli/terminal"
	"tenfold/store"
	"tenfold/store/postgres"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/vault"
)

// A tenant is encrypted, exported, erased with a proof, and brought back under another
// name with the same logs.
func TestLifeOfATenant(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	url := pgtest.Start(t).Database(t)
	t.Setenv("TENFOLD_STORE", url)
	master := func(b ...byte) {
		var text strings.Builder
		for _, one := range b {
			text.WriteString(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{one}, vault.KeySize)) + "\n")
		}
		t.Setenv(vault.EnvKey, text.String())
	}
	try := func(line string) (code int, out, errs string) {
		var o, e bytes.Buffer
		term := &terminal.Terminal{In: strings.NewReader(""), Out: bufio.NewWriter(&o), Err: &e}
		a := &command.App{Now: time.Now, Terminal: term}
		code = cli.Execute(t.Context(), a, strings.Fields(line))
		return code, o.String(), e.String()
	}
	must := func(line, want string) string {
		t.Helper()
		code, out, errs := try(line)
		if code != command.ExitOK || !strings.Contains(out+errs, want) {
			t.Fatalf("%s: exit code %d\n%s%s", line, code, out, errs)
		}
		return out
	}
	fails := func(line, want string) {
		t.Helper()
		if code, out, errs := try(line); code == command.ExitOK || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, errs)
		}
	}
	kitchen, pantry := " --store "+url+"&tenant=kitchen", " --store "+url+"&tenant=pantry"

	_, _, created := try("tenant create larder")
	_, _, listed := try("token ls larder")
	for _, said := range []string{created, listed} { // what they say to type is a command that works
		_, typed, _ := strings.Cut(said, `"tenfold `)
		typed, _, _ = strings.Cut(typed, `"`)
		must(typed, "tf_")
	}

	master(1)
	must("tenant create kitchen", "created tenant kitchen, encrypted")
	if all := must("tenant ls", "in the clear\n"); !strings.Contains(all, "0 bytes, encrypted\n") {
		t.Errorf("which tenants are encrypted is not said:\n%s", all)
	}
	must("compact ../../../examples/session.jsonl --strategy micro"+kitchen, "smaller)")
	log := must("conversation export 131fd58e --to tenfold"+kitchen, "")
	must("tenant encrypt kitchen", "sealed 0 conversations")
	must("token create kitchen --label ci --scopes read", "tf_")

	t.Setenv(vault.EnvKey, "")
	fails("conversation ls"+kitchen, "no master key was given")
	t.Setenv(vault.EnvKey, "hush")
	fails("conversation ls"+kitchen, "openssl rand -base64 32")
	master(2)
	fails("conversation ls"+kitchen, "it is wrapped by another master key")
	master(2, 1)
	must("tenant rekey", "wrapped 2 keys")
	master(2)
	must("conversation ls"+kitchen, "131fd58e")
	must("tenant rekey kitchen --data", "data key 2")
	audit := must("tenant audit kitchen", "tenant rekey")
	if strings.Count(audit, "tenant encrypt") != 1 {
		t.Errorf("the audit log is\n%s", audit)
	}
	fails("tenant rekey kitchen", "takes a NAME together with --data")

	zip, files := filepath.Join(dir, "kitchen.zip"), filepath.Join(dir, "kitchen")
	must("tenant export kitchen --to "+zip, "exported 1 conversation with")
	must("tenant export kitchen --to "+files, "exported 1 conversation with")
	fails("tenant export kitchen --to "+files, "not empty")
	for _, name := range []string{"tenant.json", "audit.jsonl"} {
		b, err := os.ReadFile(filepath.Join(files, name))
		if want := map[string]string{"tenant.json": `"label": "ci"`, "audit.jsonl": "tenant export"}[name]; err != nil || !strings.Contains(string(b), want) || strings.Contains(string(b), "hash") {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}

	fails("tenant erase kitchen", "add --yes")
	proof := must("tenant erase kitchen --yes", "tenfold_conversations: 1 row, now 0")
	if !strings.Contains(proof, "destroyed keys: 0, 1, 2") || !strings.Contains(proof, "tenfold_tokens: 1 row, now 0") {
		t.Errorf("the proof is\n%s", proof)
	}
	fails("conversation ls"+kitchen, "no such tenant")
	fails("tenant erase kitchen --yes", "kitchen")

	t.Setenv(vault.EnvKey, "")
	must("tenant create pantry --retain-days 30", "")
	must("tenant import pantry --from "+zip, "imported 1 conversation with")
	fails("tenant import pantry --from "+files, "conversation exists")
	if again := must("conversation export 131fd58e --to tenfold"+pantry, ""); again != log {
		t.Errorf("the log is another after export and import:\n%s\n%s", log, again)
	}
	fails("tenant encrypt pantry", "no master key was given")
	must("tenant retain --dry-run", "nothing to erase")
	must("tenant retain", "nothing to erase")

	// A conversation goes with its jobs, and says so.
	enqueued(t, url, "pantry", "131fd58e")
	if out := must("conversation rm 131fd58e --yes --json"+pantry, `"gone":true,"jobs":1`); !strings.Contains(out, `"overlays":`) {
		t.Errorf("the proof is %s", out)
	}
	fails("conversation show 131fd58e"+pantry, "no such conversation")

	// A damaged conversation is exported as far as it can be read, and named; the other
	// is whole.
	must("conversation import ../../../examples/session.jsonl ../testdata/bakery.jsonl"+pantry, "")
	damage(t, url, "pantry", "131fd58e")
	zip = filepath.Join(dir, "damaged.zip")
	code, out, errs := try("tenant export pantry --to " + zip)
	if code != command.ExitFailed || !strings.Contains(errs, "exported 2 conversations with") ||
		!strings.Contains(errs, "conversation 131fd58e-") || !strings.Contains(errs, "exported 4 entries; cannot read") || !strings.Contains(errs, "1 conversation could not be read whole: 131fd58e-") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, out, _ := try("tenant export --json pantry --to " + filepath.Join(dir, "damaged")); !strings.Contains(out, `"damaged":[{"conversation":"131fd58e-`) {
		t.Errorf("as JSON it is %s", out)
	}
	must("tenant create larger", "")
	must("tenant import larger --from "+zip, "imported 2 conversations with")
	must("tenant audit pantry", "tenant export")
}

// damage breaks the fifth entry of a conversation.
func damage(t *testing.T, url, tenant, prefix string) {
	t.Helper()
	db, err := postgres.OpenDatabase(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	st, err := db.Tenant(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	err = db.As(t.Context(), st.TenantID(), func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE tenfold_entries SET meta = '\x', text = NULL
WHERE seq = 5 AND conversation = (SELECT key FROM tenfold_conversations WHERE encode(id, 'escape') LIKE $1)`, prefix+"%")
		if err == nil && tag.RowsAffected() != 1 {
			t.Errorf("%d entries are damaged", tag.RowsAffected())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// enqueued appends to a conversation what makes a job due.
func enqueued(t *testing.T, url, tenant, prefix string) {
	t.Helper()
	db, err := postgres.OpenDatabase(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	q, err := job.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	st, err := db.Tenant(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	found, err := st.WithPrefix(t.Context(), prefix, 2)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	_, err = q.Store(st).Append(t.Context(), store.Batch{
		Conversation: found[0].ID, Expected: store.AnyVersion, Entries: []tenfold.Entry{{ID: "late", Payload: tenfold.AssistantMessage{Text: "late"}}},
		Due: &store.Work{Prefix: "p", Policy: "p", Tokens: 2, Limit: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
}
