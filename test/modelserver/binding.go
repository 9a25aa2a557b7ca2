package modelserver

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
)

// bound is a thinking block as it stands in a request.
type bound struct {
	path      string // messages.3.content.0
	signature string
	// before holds the sums of the prefixes that end before the block, from
	// that of its message on: a response may think more than once.
	before [][32]byte
	// earlier are the signatures in the messages before.
	earlier []string
}

// birth is under which prefixes a thinking block was made, and with which thinking
// before it.
type birth struct {
	under   [][32]byte
	earlier []string
}

// signatures remembers under which prefixes each thinking block was made:
// several, since reminders that a client puts at the very end of one request
// (Claude Code's messages of role system) may be gone in the next.
type signatures struct {
	made map[string]birth
	n    int
}

// sign makes the signature of a block that answers a prefix.
func (s *signatures) sign(under [][32]byte, earlier []string) string {
	s.n++
	sum := sha256.Sum256([]byte("tenfold-model-server" + strconv.Itoa(s.n)))
	signature := base64.StdEncoding.EncodeToString(append(sum[:], under[len(under)-1][:]...))
	s.made[signature] = birth{under, earlier}
	return signature
}

// bindingHelp ends the message of a refusal, as the vendor's does.
const bindingHelp = " The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."

// bindings checks the thinking of a request (B1): each block stands under the
// prefix that it was made under, and none is missing between two that are
// there; the oldest may be left out, and stay so. Signatures that this server did not make are taken for granted where
// foreign is set. With drop set, offenders are named rather than refused.
func (s *signatures) bindings(blocks []bound, foreign, drop bool) (dropped []string, _ *Error) {
	for _, b := range blocks {
		made, ours := s.made[b.signature]
		out := len(made.earlier) - len(b.earlier)
		whole := out >= 0 && slices.Equal(made.earlier[out:], b.earlier) || foreign
		if ours && whole && meet(b.before, made.under) || !ours && foreign {
			continue
		}
		if !ours {
			return nil, &Error{
				Status: 400, Type: invalidRequest,
				Message: fmt.Sprintf("%s: Invalid `signature` in `thinking` block", b.path),
			}
		}
		if !drop {
			return nil, &Error{
				Status: 400, Type: invalidRequest,
				Message: fmt.Sprintf("%s: Invalid `signature` in `thinking` block.%s", b.path, bindingHelp),
			}
		}
		dropped = append(dropped, b.path)
	}
	return dropped, nil
}

// meet tells whether two lists have a sum in common.
func meet(a, b [][32]byte) bool {
	return slices.ContainsFunc(a, func(sum [32]byte) bool { return slices.Contains(b, sum) })
}
