package tenant

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"strconv"
	"strings"

	"tenfold/problem"
)

// A Secret is a token as a program shows it: tf_TENANT_ID_SECRET, where TENANT is
// the tenant's number, ID 12 letters and digits, and SECRET 52 of them, which are
// 260 random bits. It prints without its secret part.
type Secret struct {
	tenant int
	id     string
	text   string
}

// Prefix is what all tokens of tenants begin with.
const Prefix = "tf_"

const (
	idLength     = 12
	secretLength = 52
	// alphabet is that of base32 in lower case: letters and digits that nobody
	// mistakes for each other when they read them out.
	alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	// longestTenant is the most digits of a tenant's number, an integer of 32 bits.
	longestTenant = 10
)

// ParseSecret reads a token. The only error says that the text is not one, and does
// not repeat it.
func ParseSecret(text string) (Secret, error) {
	rest, ok := strings.CutPrefix(text, Prefix)
	number, rest, _ := strings.Cut(rest, "_")
	id, secret, _ := strings.Cut(rest, "_")
	tenant, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil || tenant < 1 || len(number) > longestTenant || strconv.FormatInt(tenant, 10) != number ||
		!isID(id) || len(secret) != secretLength || strings.Trim(secret, alphabet) != "" {
		return Secret{}, malformed()
	}
	return Secret{int(tenant), id, text}, nil
}

// isID reports whether a text can be a token's id.
func isID(text string) bool { return len(text) == idLength && strings.Trim(text, alphabet) == "" }

func malformed() error {
	return &problem.Error{
		Code: "token_malformed", Problem: "malformed token", Err: ErrDenied,
		Hint: `a token is "tf_", a number, 12 and then 52 letters and digits, with "_" between them: copy the whole of what "tenfold token create" printed`,
	}
}

// newSecret makes a token of a tenant.
func newSecret(tenant int) Secret {
	var b [(idLength + secretLength) * 5 / 8]byte
	_, _ = rand.Read(b[:]) // which never fails
	letters := base32.NewEncoding(alphabet).WithPadding(base32.NoPadding).EncodeToString(b[:])
	id := letters[:idLength]
	return Secret{tenant, id, Prefix + strconv.Itoa(tenant) + "_" + id + "_" + letters[idLength:]}
}

// Tenant is the number of the tenant whose token it says it is, ID the token's id.
func (s Secret) Tenant() int { return s.tenant }

// ID is the token's id, which is not a secret.
func (s Secret) ID() string { return s.id }

// Reveal gives the whole token: print it once, and keep it nowhere.
func (s Secret) Reveal() string { return s.text }

// Format implements [fmt.Formatter], so that no log shows the secret part.
func (s Secret) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "%s%d_%s_…", Prefix, s.tenant, s.id)
}

// hash is what is stored of a token.
func (s Secret) hash() []byte {
	sum := sha256.Sum256([]byte(s.text))
	return sum[:]
}

// is reports whether a hash is that of the token, in a time that depends on neither.
func (s Secret) is(hash []byte) bool { return subtle.ConstantTimeCompare(s.hash(), hash) == 1 }

func quote(s string) string { return strconv.Quote(s) }
