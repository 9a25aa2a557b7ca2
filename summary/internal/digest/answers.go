package digest

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tenfold"
	"tenfold/atom"
	"tenfold/purpose"
	"tenfold/tool"
)

// exchange is a question and what a person answered.
type exchange struct{ question, answer string }

// answersIn reads what the person said out of the result of a call that asked:
// hosts put their own words around it. Nothing where the person only refused to
// answer.
func answersIn(result string, questions []string) []exchange {
	result = strings.TrimSpace(result)
	if words, refused := refusal(result); refused {
		if words == "" {
			return nil
		}
		return []exchange{{firstOrEmpty(questions), words}}
	}
	if pairs := pairsIn(result); len(pairs) > 0 {
		return pairs
	}
	var record struct {
		Answers map[string]struct {
			Answers []string `json:"answers"`
		} `json:"answers"`
	}
	if strings.HasPrefix(result, "{") && json.Unmarshal([]byte(result), &record) == nil && len(record.Answers) > 0 {
		var said []string
		for _, id := range slices.Sorted(maps.Keys(record.Answers)) {
			said = append(said, strings.Join(record.Answers[id].Answers, ", "))
		}
		if len(said) == 1 || len(questions) != len(said) {
			return []exchange{{firstOrEmpty(questions), strings.Join(said, "; ")}}
		}
		// Ids are in no order: the questions go with all the answers.
		return []exchange{{strings.Join(questions, " "), strings.Join(said, "; ")}}
	}
	for _, p := range []string{"User responded:", "User selected:", "User answered:", "Answer:"} {
		result = strings.TrimSpace(strings.TrimPrefix(result, p))
	}
	if words, framed := purpose.Framed(result); framed {
		result = words
	}
	if result == "" {
		return nil
	}
	return []exchange{{firstOrEmpty(questions), result}}
}

func firstOrEmpty(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// pairsIn reads "question"="answer" pairs, as Claude Code and OpenCode write
// them. What stands behind an answer up to the next pair, such as the person's
// notes, belongs to it.
func pairsIn(result string) []exchange {
	_, rest, ok := strings.Cut(result, `questions: "`)
	if !ok {
		_, rest, ok = strings.Cut(result, `questions have been answered: "`)
	}
	if !ok {
		return nil
	}
	var all []exchange
	for ok {
		var question, answer string
		if question, rest, ok = strings.Cut(rest, `"="`); !ok {
			break
		}
		// The next pair begins at `, "` that another `"="` follows.
		answer, ok = rest, false
		for from := 0; ; {
			at := strings.Index(rest[from:], `, "`)
			if at < 0 {
				break
			}
			at += from
			next := rest[at+len(`, "`):]
			if question, _, more := strings.Cut(next, `"="`); more && !strings.Contains(question, `", "`) {
				answer, rest, ok = rest[:at], next, true
				break
			}
			from = at + 1
		}
		answer, _, _ = strings.Cut(answer, ". You can now continue with the")
		said, more, cut := strings.Cut(answer, `"`)
		if more = strings.TrimSpace(more); cut && strings.HasPrefix(more, "user notes:") {
			said += " (" + strings.TrimSpace(strings.TrimPrefix(more, "user notes:")) + ")"
		}
		all = append(all, exchange{question, said})
	}
	return all
}

// refusal reads a person's refusal of a call, with what they said instead.
func refusal(result string) (words string, refused bool) {
	words, refused = tenfold.RefusalWords(result)
	if !refused && !tool.Refused(result) {
		return "", false
	}
	if strings.HasPrefix(words, "The user wants to clarify these questions.") {
		words = "" // the host's words
	}
	return words, true
}

const (
	proposedParts = 4  // parts of a proposal that stand with its question
	proposedPart  = 90 // characters of each
)

// proposedIn is in short what a text proposes whose question only points at it.
func proposedIn(said string) (parts []string) {
	lines := strings.Split(said, "\n")
	for _, number := range atom.Proposal(said, proposedParts) {
		parts = append(parts, itemStart(lines[number-1]))
	}
	return parts
}

// pointedBack is how many of the model's messages are looked through for what a person
// points at.
const pointedBack = 12

// pointedItems is how many items stand with the message that points at them.
const pointedItems = 8

// itemsPointedAt are in short the items of a list that a message is about by their numbers or
// letters alone, "ignore A, do B and C"; of the latest list that has them.
func (l *Ledger) itemsPointedAt(message string) (items []string) {
	names := atom.Pointers(message)
	letters := len(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name < "a" }))
	if letters < 2 && !atom.PointsFirst(message) {
		return nil
	}
	for _, text := range slices.Backward(l.recent) {
		for _, number := range atom.ListItems(text, names) {
			items = append(items, itemStart(strings.Split(text, "\n")[number-1]))
		}
		if n := len(items); n > 0 {
			items = items[:min(n, pointedItems)]
			items[len(items)-1] = strings.TrimSuffix(items[len(items)-1], ";")
			return items
		}
	}
	return nil
}

// itemStart is how a line of a list begins, to stand before another.
func itemStart(line string) string {
	return clip(strings.TrimLeft(strings.ReplaceAll(line, "**", ""), "#> \t"), proposedPart) + ";"
}

// urging are words of agreement that begin requests too.
var urging = strings.Fields("do please go continue proceed confirm good great perfect fine")

// questionBefore is the question that a short answer is to: the last question of the
// assistant's words before it, else their last sentence, unless the answer may
// be a request of its own; empty without words.
func questionBefore(said, answer string) string {
	said = strings.TrimSpace(said)
	if said == "" {
		return ""
	}
	lines := strings.Split(said, "\n")
	for _, line := range slices.Backward(lines) {
		line = strings.TrimSpace(line)
		for rest := line; rest != ""; {
			var s string
			if s, rest = sentence(rest); atom.Asks(s) {
				line = s
			}
		}
		if atom.Asks(line) {
			return line
		}
	}
	word, _, _ := strings.Cut(strings.ToLower(answer), " ")
	if slices.Contains(urging, word) {
		return ""
	}
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" {
			for rest := line; rest != ""; {
				line, rest = sentence(rest)
			}
			return line
		}
	}
	return ""
}
