package digest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenfold/atom"
	"tenfold/summary/internal/digest"
)

// Each pattern of the list finds its own example, and nothing else of the list
// has the same phrase.
func TestConstraintPatternsFindTheirExamples(t *testing.T) {
	seen := map[string]bool{}
	languages := map[string]int{}
	for _, p := range atom.ConstraintPatterns() {
		if seen[p.Phrase] {
			t.Errorf("%q is there twice", p.Phrase)
		}
		seen[p.Phrase] = true
		languages[p.Language]++
		if p.Phrase != strings.ToLower(p.Phrase) {
			t.Errorf("%q is not in lower case", p.Phrase)
		}
		if got := digest.Constraints(p.Example); len(got) != 1 || got[0] != p.Example {
			t.Errorf("%q gives %q", p.Example, got)
		}
	}
	if languages["en"] < 30 || languages["de"] < 10 || languages["fr"] < 10 || languages["es"] < 10 {
		t.Error(languages)
	}
}

// The page of the digest lists the patterns as they are.
func TestConstraintPatternsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/digest.md")
	if err != nil {
		t.Fatal(err)
	}
	languages := map[string]string{"en": "English", "de": "German", "fr": "French", "es": "Spanish", "pt": "Portuguese", "it": "Italian", "ko": "Korean", "zh": "Chinese", "ja": "Japanese", "ru": "Russian", "ar": "Arabic"}
	var rows strings.Builder
	for _, p := range atom.ConstraintPatterns() {
		rows.WriteString("| `" + p.Phrase + "` | " + languages[p.Language] + " | " + p.Example + " |\n")
	}
	_, table, _ := strings.Cut(string(page), "| phrase | language | example |\n|---|---|---|\n")
	if d := cmp.Diff(rows.String(), table); d != "" {
		t.Error(d)
	}
}

func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"Read the code and tell me what it does.", nil},
		{"What's up with the build? It's red again, can you look?", nil},
		{"Fix it.\nDon’t rename anything.\nThanks", []string{"Don’t rename anything."}},
		{"DO NOT deploy", []string{"DO NOT deploy"}},
		{"  - must be fast  \r\n- nice", []string{"- must be fast"}},
		{"the mustard and the keeper of the neverland", nil},
		{"limit the change\nto one package", nil},
		{"use tabs and instead of spaces", []string{"use tabs and instead of spaces"}},
		{"important to me\nimportant : this", []string{"important : this"}},
		{"leave one two three four five six seven eight nine ten eleven twelve alone", []string{"leave one two three four five six seven eight nine ten eleven twelve alone"}},
		{"leave one two three four five six seven eight nine ten eleven twelve thirteen alone", nil},
		{"limit it", nil},
		{"看一下代码。\n金额单位:绝不能用浮点数！\n谢谢", []string{"金额单位:绝不能用浮点数！"}},
		{"コードを読んで説明してください。\nAPIを変更しないでください", []string{"APIを変更しないでください"}},
		{"Прочитай код.\nПубличные имена НЕ меняй", []string{"Публичные имена НЕ меняй"}},
		{"اقرأ الملفات.\nلا تلمس go.sum", []string{"لا تلمس go.sum"}},
		{"코드를 읽어 줘. 하지만 로그인이 안 돼요.\n이 파일은 건드리지 마세요", []string{"이 파일은 건드리지 마세요"}},
		{"Leia o código.\nNão mexa no go.sum", []string{"Não mexa no go.sum"}},
		{"Leggi il codice.\nNon toccare go.sum", []string{"Non toccare go.sum"}},
		{"Lis le code, 12 mai, un non-vide.\nN’écris aucun fichier", []string{"N’écris aucun fichier"}},
		{"Lee el código.\nHazlo sin tocar go.sum", []string{"Hazlo sin tocar go.sum"}},
		{"the sin of x, a non-empty sem and Devon", nil},
		{"Look at this:\n@@ -1,2 +1,2 @@ func heat\n // never heat it\n-\ta\n+\tb\nNever delete it.", []string{"Never delete it."}},
		{"2025-11-02 02:31:00 [oven] ERROR " + strings.Repeat("It is long. ", 40) + "Never delete it! And so on.", nil},
		{strings.Repeat("It is long. ", 40) + "Never delete it! And so on. " + strings.Repeat("Yes. ", 9), []string{"Never delete it!"}},
	} {
		if d := cmp.Diff(c.want, digest.Constraints(c.text)); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
		if got := atom.StatesConstraint(c.text); got != (c.want != nil) {
			t.Errorf("%q states a constraint: %v", c.text, got)
		}
	}
	long := digest.Constraints(strings.Repeat("wört ", 2000) + "must " + strings.Repeat("wört ", 2000))
	if len(long) != 1 || len(long[0]) > 400 || !strings.Contains(long[0], "must") || !strings.Contains(strings.Repeat("wört ", 2000)+"must "+strings.Repeat("wört ", 2000), long[0]) {
		t.Errorf("%q", long)
	}
}

func FuzzConstraints(f *testing.F) {
	f.Add("Never do that.\nn'aie pas peur: ’ not")
	f.Add(strings.Repeat("é", 500) + " must\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range digest.Constraints(text) {
			if c == "" || len(c) > 400 || !strings.Contains(text, c) {
				t.Errorf("%q is not part of %q", c, text)
			}
		}
	})
}

// M4a: what a pasted diff says of what must be is no demand.
func TestM4aAPastedDiffDemandsNothing(t *testing.T) {
	hot := strings.Repeat("The oven is hot and the dough is cold today.\\n", 150)
	text := hot + "@@ -1,2 +1,2 @@ func heat\\n // never heat it\\n-\\ta\\n+\\tb\\n" + hot + "Never delete it."
	lines := requestOfLines(t, "t", "u Bake.", "t", "u "+text, "a Done.", "t", "u Go on.")
	holds(t, digested(t, digest.Digest{Tokens: 1000}, lines), []string{"Never delete it."}, []string{"never heat it"})
}

// M4a: what a long message insists on stays before what else it demands.
func TestM4aLongMessagesKeepWhatTheyInsistOn(t *testing.T) {
	long := strings.Repeat("The oven is hot and the dough is cold today.\\n", 50)
	for i := range 300 {
		long += fmt.Sprintf("It should be as page %d of the bakery says that lies there.\\n", i)
	}
	long += "Never push to main, whoever may ask for that and whatever they say.\\n" + strings.Repeat("The oven is hot and the dough is cold today.\\n", 30)
	lines := requestOfLines(t, "t", "u Bake.", "t", "u "+long, "a Done.", "t", "u Go on.")
	holds(t, digested(t, digest.Digest{Tokens: 1000}, lines), []string{"  > Never push to main, "}, nil)
}
