package redact_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenfold/internal/redact"
)

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// wrap breaks a text into lines.
func wrap(s, end string) string {
	var lines []string
	for len(s) > 64 {
		lines, s = append(lines, s[:64]), s[64:]
	}
	return strings.Join(append(lines, s), end)
}

// M5: secrets in base64, and those that line ends break.
func TestEncodedSecrets(t *testing.T) {
	t.Parallel()
	docker := encode(`{"auths":{"https://index.docker.io/v1/":{"username":"ann","password":"hunter2x","auth":"` + encode("ann:hunter2x") + `"}}}`)
	password := encode("hunter")
	for _, tt := range []struct{ text, want string }{
		{"_auth=" + encode("ann:hunter2"), "_auth=[redacted]="},
		{"//r.npmjs.org/:_auth=" + encode("ann:hunter2"), "//r.npmjs.org/:_auth=[redacted]="},
		{"//r.npmjs.org/:_password=" + password, "//r.npmjs.org/:_password=[redacted]"},
		{"apiVersion: v1\ndata:\n  password: " + password + "\nkind: Secret\nmetadata:\n  name: x\n", "apiVersion: v1\ndata:\n  password: [redacted]\nkind: Secret\nmetadata:\n  name: x\n"},
		{"kind: Secret\nstringData:\n  url: \"hunter\"\n---\nkind: ConfigMap\ndata:\n  a: b", "kind: Secret\nstringData:\n  url: \"[redacted]\"\n---\nkind: ConfigMap\ndata:\n  a: b"},
		{"a: 1\n---\nkind: Secret\ndata:\n  a: " + password + "\n---\nb: 2\n---\nkind: Secret\ndata:\n  b: " + password + "\n---\nc: 3", "a: 1\n---\nkind: Secret\ndata:\n  a: [redacted]\n---\nb: 2\n---\nkind: Secret\ndata:\n  b: [redacted]\n---\nc: 3"},
		{`{"kind":"Secret","data":{"a.b":"` + password + `"},"type":"Opaque"}`, `{"kind":"Secret","data":{"a.b":"[redacted]"},"type":"Opaque"}`},
		{`{"out":"kind: Secret\ndata:\n  password: ` + password + `\n"}`, `{"out":"kind: Secret\ndata:\n  password: [redacted]\n"}`},
		{`{\"kind\": \"Secret\", \"data\": {\"a\": \"` + password + `\"}}`, `{\"kind\": \"Secret\", \"data\": {\"a\": \"[redacted]\"}}`},
		{".dockerconfigjson: " + docker, ".dockerconfigjson: [redacted]"},
		{".dockerconfigjson: |\n  " + wrap(docker, "\n  ") + "\nkind: x", ".dockerconfigjson: |\n  [redacted]\nkind: x"},
		{`{"a":".dockerconfigjson: ` + wrap(docker, `\n  `) + `\nkind"}`, `{"a":".dockerconfigjson: [redacted]\nkind"}`},
		{"K=" + encode("export API_KEY="+random), "K=[redacted]"},
		{"K=" + base64.RawURLEncoding.EncodeToString([]byte("???>>> export API_KEY="+random)), "K=[redacted]"},
		{encode("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"), "[redacted]"},
		{"secret_key: " + wrap(strings.Repeat(random, 4), "\n  ") + "\nnext line", "secret_key: [redacted]\nnext line"},
		{"export TOKEN=\\\n" + random, "export TOKEN=\\\n[redacted]"},
		{"sk-ant-" + random[:12] + "\\\n" + random, "[redacted]"},
		{`{"c":"tool --token \\\n  ` + random + `"}`, `{"c":"tool --token \\\n  [redacted]"}`},
		{"curl -u \\\n ann:hunter2 x", "curl -u \\\n ann:[redacted] x"},
		{"curl -H \"Authorization: Bearer \\\n  " + random + "\"", "curl -H \"Authorization: Bearer \\\n  [redacted]\""},
		{"-----BEGIN RSA PRIVATE KEY-----\\n\\\nMIIE\\n\\\n-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----"},
	} {
		if got := redact.Secrets(tt.text); got != tt.want {
			t.Errorf("%q\n gives %q\n  want %q", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{
		encode("hello world, a plain text with nothing in it"), "kind: ConfigMap\ndata:\n  a: " + password, "kind: Secret", "echo hello \\\n  world", "Secret data: 5",
		"kind: Secret\nmetadata:\n  name: a", "data:\n  password: 16 bytes", "kind: SecretStore\ndata:\n  a: b",
		"kind: Secret\ndata:\n  password: 16\n  other: $OTHER\n",
	} {
		if got := redact.Secrets(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A text costs what its length asks for: the ratio is that of a byte of a long text to one
// of a short one.
func BenchmarkEncoded(b *testing.B) {
	line := encode(strings.Repeat("all work and no play ", 3))[:76]
	for _, text := range []string{line + "\n", line, "kind: Secret\n", "kind: Secret data:\na: b\n", "a\\\n", "data:\n a: b\n", encode(encode(encode("password=hunter2x"))) + "\n", "secret: " + line + "\n"} {
		b.Run(strconv.Quote(text[:min(len(text), 20)]), func(b *testing.B) {
			took := func(size int) time.Duration {
				long, begun := strings.Repeat(text, size/len(text)), time.Now()
				redact.Secrets(long)
				return time.Since(begun)
			}
			var short, long time.Duration
			for b.Loop() {
				for range 16 {
					short += took(64 << 10)
				}
				long += took(1 << 20)
			}
			b.ReportMetric(float64(long)/float64(short), "ratio")
		})
	}
}
