package atom

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// IsShortAnswer reports whether a message says nothing without what it answers:
// few words of agreement or choice, or that point at what was said; or a sentence
// that begins with a plain yes or no.
func IsShortAnswer(text string) bool {
	if len(text) > 100 || strings.Contains(text, "\n") {
		return false // a paste may be of any length
	}
	if bare := strings.TrimSpace(text); strings.ContainsFunc(bare, unspaced) {
		return utf8.RuneCountInString(bare) <= 15 && slices.ContainsFunc(unspacedAnswers, func(start string) bool { return strings.HasPrefix(bare, start) })
	}
	words := strings.Fields(strings.ToLower(strings.Trim(text, " \t\r\n.!")))
	if len(words) == 0 || len(words) > 12 {
		return false
	}
	word := strings.Trim(words[0], ".,;:!)(،")
	if len(words) > 5 || len(text) > 60 {
		return slices.Contains(deciding, word)
	}
	if len(word) == 1 && len(words) <= 3 || strings.Trim(word, "0123456789") == "" {
		return true
	}
	return slices.Contains(agreeing, word) || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(pointing, strings.Trim(w, ".,;:!)(")) })
}

// Decides reports whether a message is a short answer that agrees with what was proposed
// or declines it.
func Decides(text string) bool {
	if !IsShortAnswer(text) {
		return false
	}
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	word = strings.Trim(word, ".,;:!)(")
	return slices.Contains(assenting, word) || slices.Contains(deciding, word)
}

// PointsBack reports whether a question, such as "Does this approach work for you?",
// names what was proposed above it and not what that is.
func PointsBack(question string) bool {
	words := strings.Fields(strings.ToLower(question))
	return len(words) <= 14 && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(proposing, strings.Trim(w, ".,;:!?*_)(\"'`")) })
}

// A proposal consists of its steps, of what it names in bold and then says, and of what
// it says it recommends.
var (
	proposedStep = regexp.MustCompile(`^ {0,3}\d{1,2}[.)]\s+\S`)
	proposedPart = regexp.MustCompile(`^ {0,3}(?:[-*+] )?\*\*[^*]+\*\*:?[^*\s]*\s+[^\s*]`)
	recommended  = regexp.MustCompile(`(?i)^ {0,3}(?:[-*+] )?[*_]*(?:(?:(?:my|the) )?(?:recommendation|suggestion|proposal)\b[^.:]*:|I(?:['’]d| would)? (?:still )?(?:recommend|suggest|propose)\b)[*_]*\s*\S`)
)

// Proposal gives the numbers, from 1, of the first lines of a text that say what it
// proposes, at most so many.
func Proposal(text string, most int) (lines []int) {
	number, fenced := 0, false
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if len(lines) < most && !fenced && (proposedStep.MatchString(line) || proposedPart.MatchString(line) || recommended.MatchString(line)) {
			lines = append(lines, number)
		}
	}
	return lines
}

// assenting are the words by which one agrees; proposing, those that stand for a proposal.
var (
	assenting = strings.Fields("yes yeah yep yup y ok okay k sure go right correct agreed exactly approve approved accept accepted confirmed confirm proceed fine good great perfect lgtm do ja doch genau oui d'accord parfait vas-y si sí vale claro dale perfecto adelante sim certo perfeito sì perfetto procedi 네 예 응 넵 좋아 좋아요 좋습니다 그래 그래요 맞아 맞아요 진행해줘 да хорошо согласен согласна نعم حسنا تمام موافق")
	proposing = strings.Fields("this that these those it approach plan above proceed proposal direction design")
)

var agreeing = strings.Fields(`
	yes yeah yep yup y no nope nah na n ok okay k sure go right correct agreed exactly both either neither all none first second third option
	approve approved accept accepted confirmed confirm proceed continue fine good great perfect lgtm please do ja nein doch genau beide oui non d'accord parfait vas-y exact
	si sí vale claro dale perfecto adelante correcto sim não certo perfeito pode sì perfetto procedi esatto
	네 예 응 넵 아니 아니요 아니오 좋아 좋아요 좋습니다 그래 그래요 맞아 맞아요 맞습니다 알겠어 알겠습니다 진행해줘 진행해주세요 계속해줘 계속해주세요 첫번째 두번째 둘다 да ага нет ок хорошо согласен согласна давай верно первый второй оба نعم لا حسنا تمام موافق الأول الثاني`)

// unspacedAnswers begin answers in Chinese and Japanese.
var unspacedAnswers = strings.Fields("好 可以 行 是的 是。 对 對 不对 不對 不行 不用 不是 没问题 沒問題 同意 确认 確認 继续 繼續 第一 第二 第三 都 はい いいえ お願い おねがい それで 了解 続け いいで 一番 二番 三番")

// Asks reports whether a sentence ends as a question does.
func Asks(sentence string) bool {
	sentence = strings.TrimRight(sentence, "*_ ")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasSuffix(sentence, "؟")
}

// deciding are words that only an answer begins with.
var deciding = strings.Fields("yes yeah yep yup no nope nah na ja nein doch oui non si sí sì sim não 네 예 아니요 아니오 да нет نعم")

// pointing are words that mean what the other said.
var pointing = strings.Fields("it that this them those these one ones same")
