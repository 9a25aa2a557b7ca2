package atom

import (
	"regexp"
	"strings"
	"sync"
)

// ConstraintAt gives where in a line a standing constraint is first stated, by
// [ConstraintPatterns]; -1 where none is.
func ConstraintAt(line string) int {
	if isStamped(line) {
		return -1
	}
	return constraints().At(line)
}

// stamp is how lines of logs begin: a date and a time, which nobody types. What they say
// of what must be is no word of a person's.
var stamp = regexp.MustCompile(`^\W{0,2}(?:\d{4}[-/.]\d\d?[-/.]\d\d?[T ]|[A-Z][a-z]{2} [ \d]\d )\d\d?:\d\d:\d\d`)

// isStamped reports whether a line is of a log.
func isStamped(line string) bool {
	return strings.IndexByte(line[:min(len(line), 20)], ':') > 0 && stamp.MatchString(line)
}

// StatesConstraint reports whether a text states a constraint anywhere, by
// [ConstraintPatterns]. Patterns do not reach over the ends of lines, and what a pasted
// diff says is none.
func StatesConstraint(text string) bool {
	var pasted Diff
	for line := range strings.SplitSeq(text, "\n") {
		if !pasted.Has(line) && ConstraintAt(line) >= 0 {
			return true
		}
	}
	return false
}

// Insists reports whether a line demands or forbids something outright, among those that
// state a constraint: where there is no room for all, these come first.
func Insists(line string) bool { return insisting().At(line) >= 0 }

var insisting = sync.OnceValue(func() Phrases {
	return NewPhrases("must", "mustn't", "never", "always", "do not", "don't", "dont", "may not", "can't use", "cannot use", "not allowed", "forbidden", "no new", "from now on",
		"muss", "müssen", "niemals", "nie", "immer", "kein", "keine", "keinen", "doit", "doivent", "jamais", "toujours", "il faut", "debe", "deben", "nunca", "siempre", "hay que",
		"no toques", "no cambies", "no uses", "no modifiques", "no agregues", "必须", "必須", "务必", "務必", "不要", "不能", "不得", "不可", "不许", "不准", "禁止", "严禁", "嚴禁", "切勿", "请勿", "绝不", "絕不",
		"只能", "必ず", "絶対", "ないで", "てはいけ", "ではいけ", "決して", "должен", "должна", "должно", "должны", "нельзя", "никогда", "всегда", "обязательно", "запрещено",
		"ne … pas", "n … pas", "tu dois", "devez", "obligatoire", "interdit", "debes", "jamás", "obligatorio", "prohibido", "no borres", "no elimines", "no añadas", "no rompas", "no hagas", "no escribas",
		"deve", "devem", "tem que", "não", "sempre", "obrigatório", "proibido", "devono", "bisogna", "obbligatorio", "vietato", "non … mai", "non toccare", "non modificare", "non cambiare", "non usare",
		"반드시", "절대", "마세요", "지 마", "지 말", "면 안", "금지", "해야", "항상", "무조건", "필수",
		"يجب", "ويجب", "ممنوع", "يمنع", "أبدا", "أبدًا", "دائما", "دائمًا")
})

var constraints = sync.OnceValue(func() Phrases {
	all := make([]string, len(constraintPatterns))
	for i, p := range constraintPatterns {
		all[i] = p.Phrase
	}
	return NewPhrases(all...)
})
