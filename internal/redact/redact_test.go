package redact_test

import (
	"strings"
	"testing"

	"tenfold/internal/redact"
)

const (
	random = "q9Zr4TkX2bLm8VwE5nYc7HdA"
	longer = random + "0123456789abQx"
	hexes  = "3f786850e387550fdab836ed7e6dc881"
	cutKey = "-----BEGIN EC PRIVATE KEY-----\n" + longer + random + "\n" + random + longer + "\n" + random
)

// M5: keys that their beginning or their shape tells, wherever they stand.
func TestKnownKeys(t *testing.T) {
	t.Parallel()
	many := random + random + random + random + random
	for _, key := range []string{
		"xoxc-" + many[:24], "LTAI5t" + many[:18], "glcbt-" + many[:20], "dp.st.dev." + many[:40], "lin_oauth_" + many[:40], "ATBB" + many[:32],
		"pat-na1-" + "0a1b2c3d-1234-4a5b-9c8d-0123456789ab", "csk-" + many[:40], "lsv2_pt_" + many[:32] + "_" + many[:10], "AQ.Ab8" + many[:46],
		"CFPAT-" + many[:43], "nfp_" + many[:36], "apify_api_" + many[:36], "tgp_v1_" + many[:43], "bedrock-api-key-" + many[:100], "napi_" + many[:64],
		"ops_eyJ" + many[:100], "sk.eyJ1Ijoi" + many[:20] + "." + many[:22], "sgp_" + many[:40], "ATCTT3" + many[:90], "ABSK" + many[:110], "fw_" + many[:24],
		"re_" + many[:8] + "_" + many[:24], many[:52] + "JQQJ99" + many[:26], many[:3] + "8Q~" + many[:34],
		"tf_12_" + strings.Repeat("abc234", 2) + "_" + strings.Repeat("wxyz", 13),
		"sm_pat_" + many[:16], "GR1348941" + many[:20], "glwt-" + many[:20], "bb_live_" + many[:27], "vcp_" + many[:24], "aio_" + many[:28], "cal_live_" + hexes, "zpka_" + many[:32],
		"CCIPRJ_" + many[:40], "FLWSECK_TEST-" + hexes + "-X", "p8e-" + hexes, "AQVN" + many[:36], "pnu_" + many[:36], "api_org_" + many[:34], "access-production-0a1b2c3d-1234-4a5b-9c8d-0123456789ab",
		"snyk_uat." + many[:40], "xaat-0a1b2c3d-1234-4a5b-9c8d-0123456789ab", "pcsk_" + many[:70], "rpa_" + many[:43], "dtn_" + hexes + hexes, "pa-" + many[:43], "tk-us-" + many[:48],
		"sqp_" + hexes + hexes[:8], "tfp_" + many[:44] + "_" + many[:14], "oy2" + strings.ToLower(many[:43]), "glagent-" + many[:50], "shippo_live_" + hexes + hexes[:8], "duffel_test_" + many[:43],
		"EZAK" + many[:54], "cflt" + many[:60], "CLOJARS_" + many[:60], "fio-u-" + many[:64], "xkeysib-" + hexes + hexes + "-" + many[:16], "rdme_" + many[:70], "dt0c01." + many[:24] + "." + many[:64],
		"s-s4t2ud-" + hexes + hexes, "mlsn." + hexes + hexes, "AKCp" + many[:69], "cmVmdGtu" + many[:56], "pat." + many[:22] + "." + hexes[:24] + "." + many[:20], "v1.0-" + hexes[:24] + "-" + strings.Repeat(hexes, 5)[:146],
		"sk_" + hexes + hexes[:16], "key_" + hexes + hexes, "ak-" + many[:22], "cio" + many[:32], "API-" + strings.ToUpper(many)[:26], "ico-" + many[:32], "A3-ABC123-ABC123DEF45-AB3DE-AB3DE-AB3DE",
		"sha256~" + many[:43], "1//0g" + many[:60], "eyJhbGciOiJSU0EtT0FFUCJ9." + many[:60] + "." + many[:16] + "." + many[:40] + "." + many[:22],
	} {
		for _, around := range []string{"%s", "key %s, and", `{"out":"a\n%s\n"}`, "https://example.com/%s?x", "VALUE=%s"} {
			text := strings.Replace(around, "%s", key, 1)
			if got, want := redact.Secrets(text), strings.Replace(around, "%s", "[redacted]", 1); got != want {
				t.Errorf("%s\n gives %s", text, got)
			}
		}
	}
	for _, name := range []string{
		"napi_create_reference", "fw_version", "re_match_group_of_a_line_0123", "tf_12_layers_of_a_model", "ops_eyJ", "AQ.Abstract", "sgp_1", "csk-is-a-key-of-a-maker-and-this-is-not",
		"fw_update_the_rules_of_all", "core_12345678_of_a_module_with_names", "as-soon-as-2-people-have-said-so", "pa-4", "oy2-names", "sk_buff_of_a_queue_with_1_name",
		"key_of_a_map", "API-2-OF-A-MAKER", "1//0x2f", "eyJ.of.a.b.c", "100%2Fof",
	} {
		if got := redact.Secrets("a " + name + " b"); got != "a "+name+" b" {
			t.Errorf("%s became %s", name, got)
		}
	}
}

// What might begin a key again and again is read in time by its size: by its square, it would
// take minutes.
func TestWhatLooksLikeKeysIsReadOnce(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"pat.", "eyJ-", "sk-", "key_", "a=%2F"} {
		if text := strings.Repeat(piece, (1<<20)/len(piece)); redact.Secrets(text) != text {
			t.Errorf("%q again and again is redacted", piece)
		}
	}
}

// M5: secrets as they stand in transcripts: in code, headers, JSON within JSON. The
// keys are random, of the form that their makers give them.
func TestSecrets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		kind       redact.Kind
	}{
		{"sk-ant-api03-" + random + random, "[redacted]", redact.Key},
		{"key ghp_" + longer + ".", "key [redacted].", redact.Key},
		{"AKIAIOSFODNN7EXAMPLE", "[redacted]", redact.Key},
		{`{"out":"a\nsk-proj-` + random + `\n"}`, `{"out":"a\n[redacted]\n"}`, redact.Key},
		{`"\u0022ghp_` + longer + `"`, `"\u0022[redacted]"`, redact.Key},
		{"\x1b[31mghp_" + longer + "\x1b[0m", "\x1b[31m[redacted]\x1b[0m", redact.Key},
		{`{"out":"\u001b[1;31mghp_` + longer + `\u001b[0m"}`, `{"out":"\u001b[1;31m[redacted]\u001b[0m"}`, redact.Key},
		{"secret_" + longer + "abc12", "[redacted]", redact.Key},
		{"sb_secret_" + random, "[redacted]", redact.Key},
		{"cfut_" + longer + "abcdef", "[redacted]", redact.Key},
		{"key pat" + random[:14] + "." + hexes + hexes + ",", "key [redacted],", redact.Key},
		{"x=" + hexes + "-us12&y", "x=[redacted]&y", redact.Key},
		{`"` + random[:14] + ".atlasv1." + longer + random + "0a" + `"`, `"[redacted]"`, redact.Key},
		{"SK" + hexes, "[redacted]", redact.Key},
		{"docker login -u ann --password-stdin <<< dckr_pat_" + longer[:27], "docker login -u ann --password-stdin <<< [redacted]", redact.Key},
		{"client.run('MTE5ODYyMjQ4MzQ3MTkyNTI0OA.Cl2FMQ." + longer + "')", "client.run('[redacted]')", redact.Key},
		{"MY_VALUE=glpat-" + random, "MY_VALUE=[redacted]", redact.Key},
		{"https://api.example.com/v1/AIza" + longer + "/x", "https://api.example.com/v1/[redacted]/x", redact.Key},
		{"https://ghp_" + longer + "@github.com/a/b", "https://[redacted]@github.com/a/b", redact.Key},
		{"https://" + random + "@dev.azure.com/a", "https://[redacted]@dev.azure.com/a", redact.Key},
		{"https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/" + random, "https://hooks.slack.com/services/[redacted]", redact.Key},
		{"https://discord.com/api/webhooks/123456789012345678/" + random, "https://discord.com/api/webhooks/[redacted]", redact.Key},
		{"https://api.telegram.org/bot123456789:AAH" + random + "01234567/getMe", "https://api.telegram.org/bot123456789:[redacted]/getMe", redact.Key},
		{"12345678:AAH" + random + "01234567", "12345678:[redacted]", redact.Key},
		{`{"password":"hunter2x`, `{"password":"[redacted]`, redact.Password},
		{"bot 123456789:AAH" + random + "01234567", "bot 123456789:[redacted]", redact.Key},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "[redacted]", redact.Key},
		{"?jwt=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N&x", "?jwt=[redacted]&x", redact.Key},
		{`{"api_key": "` + random + `"}`, `{"api_key": "[redacted]"}`, redact.Password},
		{`{\"password\":\"` + random + `\"}`, `{\"password\":\"[redacted]\"}`, redact.Password},
		{"export DB_TOKEN=" + random, "export DB_TOKEN=[redacted]", redact.Password},
		{"api_key=r8m." + random[:12] + ".2bLm8VwE", "api_key=[redacted]", redact.Password},
		{"client_secret: " + random, "client_secret: [redacted]", redact.Password},
		{"AccountKey=" + random + random + "==;Endpoint=x", "AccountKey=[redacted]==;Endpoint=x", redact.Password},
		{"//registry.npmjs.org/:_authToken=" + random, "//registry.npmjs.org/:_authToken=[redacted]", redact.Password},
		{"https://b.s3.amazonaws.com/x?X-Amz-Signature=" + random + "&y=1", "https://b.s3.amazonaws.com/x?X-Amz-Signature=[redacted]&y=1", redact.Password},
		{"https://b.blob.core.windows.net/x?se=1&sig=" + random + "%3D", "https://b.blob.core.windows.net/x?se=1&sig=[redacted]", redact.Password},
		{"https://b.blob.core.windows.net/x?sig=%2fq9Zr%2BTkX2bLm8VwE5nYc7HdA%3D&sp=r", "https://b.blob.core.windows.net/x?sig=[redacted]&sp=r", redact.Password},
		{"/login?next=%2Fa%3Ftoken%3D" + random + "%26x=1", "/login?next=%2Fa%3Ftoken%3D[redacted]%26x=1", redact.Password},
		{"q=token%3Dghp_" + longer + "%20of", "q=token%3D[redacted]%20of", redact.Key},
		{"Ocp-Apim-Subscription-Key: " + hexes, "Ocp-Apim-Subscription-Key: [redacted]", redact.Password},
		{"PresharedKey = " + random + random[:19] + "=", "PresharedKey = [redacted]=", redact.Password},
		{"SECRET_KEY_BASE=" + hexes + hexes, "SECRET_KEY_BASE=[redacted]", redact.Password},
		{"Server=db;User Id=sa;Pwd=Sup3rS;Encrypt=yes", "Server=db;User Id=sa;Pwd=[redacted];Encrypt=yes", redact.Password},
		{"Authorization: `token " + random + "`", "Authorization: `token [redacted]`", redact.Authorization},
		{"postgres://ann:hunter2@db:5432/x", "postgres://ann:[redacted]@db:5432/x", redact.Password},
		{"curl -s -u ann:pa55! https://x", "curl -s -u ann:[redacted] https://x", redact.Password},
		{"PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql", redact.Password},
		{`password = "hunter2"`, `password = "[redacted]"`, redact.Password},
		{`{"password":"p@ss-word!"}`, `{"password":"[redacted]"}`, redact.Password},
		{`{\"passphrase\": \"tr0ub4dor&3\"}`, `{\"passphrase\": \"[redacted]\"}`, redact.Password},
		{`DB_PASSWORD="hunter2" x`, `DB_PASSWORD="[redacted]" x`, redact.Password},
		{`tool --password='hunter2'`, `tool --password='[redacted]'`, redact.Password},
		{`\\\"password\\\": \\\"hunter2\\\"`, `\\\"password\\\": \\\"[redacted]\\\"`, redact.Password},
		{`{\\\"api_key\\\":\\\"` + random + `\\\"}`, `{\\\"api_key\\\":\\\"[redacted]\\\"}`, redact.Password},
		{"x://u:p@ss:w0rd@h/x", "x://u:[redacted]@h/x", redact.Password},
		{"password: hunter2!", "password: [redacted]", redact.Password},
		{"SMTP_PASS=hunter2 x", "SMTP_PASS=[redacted] x", redact.Password},
		{`"db_pass": "hunter2"`, `"db_pass": "[redacted]"`, redact.Password},
		{"db_password = hunter22\nnext", "db_password = [redacted]\nnext", redact.Password},
		{"<password>hunter2</password>", "<password>[redacted]</password>", redact.Password},
		{`define("DB_PASSWORD", "hunter2");`, `define("DB_PASSWORD", "[redacted]");`, redact.Password},
		{`define("password", "hunter2");`, `define("password", "[redacted]");`, redact.Password},
		{":password => 'hunter2'", ":password => '[redacted]'", redact.Password},
		{"ENV DB_PASSWORD hunter2", "ENV DB_PASSWORD [redacted]", redact.Password},
		{"docker login -u ann --password hunter2 x", "docker login -u ann --password [redacted] x", redact.Password},
		{"docker login -u ann -p hunter2 x", "docker login -u ann -p [redacted] x", redact.Password},
		{`{"command":"sshpass -p 'hunt!er' ssh x"}`, `{"command":"sshpass -p '[redacted]' ssh x"}`, redact.Password},
		{"mysqldump -h db -u ann -phunter2 shop > x", "mysqldump -h db -u ann -p[redacted] shop > x", redact.Password},
		{`{"command":"cd x && mysql -uann -p'hunt!er' shop"}`, `{"command":"cd x && mysql -uann -p'[redacted]' shop"}`, redact.Password},
		{"machine api.acme.io login ann password hunter", "machine api.acme.io login ann password [redacted]", redact.Password},
		{`"machine acme.io\n  login ann\n  password s.cret/x\n"`, `"machine acme.io\n  login ann\n  password [redacted]\n"`, redact.Password},
		{"default login ann password hunter2", "default login ann password [redacted]", redact.Password},
		{"x\ndb.acme.io:5432:shop:ann:hunter\ny", "x\ndb.acme.io:5432:shop:ann:[redacted]\ny", redact.Password},
		{`{"out":"a\nlocalhost:*:*:ann:hunt!er\n"}`, `{"out":"a\nlocalhost:*:*:ann:[redacted]\n"}`, redact.Password},
		{"*:*:*:ann:hunter", "*:*:*:ann:[redacted]", redact.Password},
		{"tool --token " + random + " x", "tool --token [redacted] x", redact.Password},
		{"Authorization: SSWS " + random, "Authorization: SSWS [redacted]", redact.Authorization},
		{`{\"authorization\":\"Token ` + random + `\"}`, `{\"authorization\":\"Token [redacted]\"}`, redact.Authorization},
		{`{"auths":{"x":{"auth":"YW5uOnNlY3JldA=="}}}`, `{"auths":{"x":{"auth":"[redacted]=="}}}`, redact.Authorization},
		{"Authorization: Bearer " + random, "Authorization: Bearer [redacted]", redact.Authorization},
		{"-H 'Authorization: Basic YW5uOnNlY3JldA=='", "-H 'Authorization: Basic [redacted]=='", redact.Authorization},
		{"Proxy: Basic YW5uOnNlY3JldEE=", "Proxy: Basic [redacted]=", redact.Authorization},
		{`"authorization": "` + random + `"`, `"authorization": "[redacted]"`, redact.Authorization},
		{"Cookie: theme=dark; sid=" + random, "Cookie: theme=dark; sid=[redacted]", redact.Authorization},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter", "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nafter", redact.PrivateKey},
		{cutKey + "\n… 40 lines cut\n" + strings.Repeat("and so on, ", 2000), "-----BEGIN EC PRIVATE KEY-----[redacted]… 40 lines cut\n" + strings.Repeat("and so on, ", 2000), redact.PrivateKey},
		{"-----BEGIN PRIVATE KEY----- begins one. " + strings.Repeat("and so on, ", 2000) + cutKey, "-----BEGIN PRIVATE KEY----- begins one. " + strings.Repeat("and so on, ", 2000) + "-----BEGIN EC PRIVATE KEY-----[redacted]", redact.PrivateKey},
		{"-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\n" + cutKey, "-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----\n-----BEGIN EC PRIVATE KEY-----[redacted]", redact.PrivateKey},
		{`-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl`, "-----BEGIN OPENSSH PRIVATE KEY-----[redacted]", redact.PrivateKey},
		{"Private-Lines: 2\nAAAB\nAAAC\nPrivate-MAC: 12ab", "Private-Lines: 2[redacted]Private-MAC: 12ab", redact.PrivateKey},
		{"Private-Lines: " + strings.Repeat("x", 20_000) + ": Private-Lines: 2\nAAAB\nPrivate-MAC: 1", "Private-Lines: " + strings.Repeat("x", 20_000) + ": Private-Lines: 2[redacted]Private-MAC: 1", redact.PrivateKey},
		{"Private-Lines: 9\nAAAB\nnote: Private-Lines: 2" + strings.Repeat("\n", 20_000) + ":", "Private-Lines: 9[redacted]: Private-Lines: 2" + strings.Repeat("\n", 20_000) + ":", redact.PrivateKey},
		{`Private-Lines: 2\nAAAB\n`, "Private-Lines: 2[redacted]", redact.PrivateKey},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n-----END PGP PRIVATE KEY BLOCK-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----[redacted]-----END PGP PRIVATE KEY BLOCK-----", redact.PrivateKey},
	} {
		r := redact.New()
		if got := redact.Secrets(tt.text); got != tt.want {
			t.Errorf("%q\n gives %q\n  want %q", tt.text, got, tt.want)
		} else if got := r.Text(tt.text); got != tt.want || r.Counts[tt.kind] != 1 || r.Counts.All() != 1 {
			t.Errorf("%q is %v, want one of kind %d: %q", tt.text, r.Counts, tt.kind, got)
		}
	}
}

// What is not a secret and names nobody stays as it is.
func TestNothingToRedact(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"see " + strings.Repeat("modules.", 5) + "member", // which ends with six characters
		"token eyJhbGciOiJIUzI1NiJ9 alone",
		"", "commit 3f786850e387550fdab836ed7e6dc881de23001b", "max_tokens: 20000, token = next()", "https://example.org:8080/a@b",
		"risk-assessment-of-everything-there-is", "task-2024-11-12-begin-with-what-is-left-5", "Cookie: theme=dark\nbuild=" + random, "sk-lazy-loading-is-not-a-key-at-all", "password: please choose one",
		"password = os.environ['PASSWORD']", `password="password"`, `"password": "string"`, `password = "${DB_PASSWORD}"`, `password: "<your password>"`,
		"token = process.env.ENTIRE_CHECKPOINT_TOKEN_2", `{"sessionId":"6b6f4218-0b12-4d55-b930-462903683bea"}`, "https://cdn.jsdelivr.net/npm/bootstrap@5.3.2/x.css",
		"https://oauth2:${GITLAB_TOKEN}@gitlab.com/x",
		"password = user2.password", "password: sha256(x)", "password: str2[0]", "--password stdin", "mkdir -p build22x", "password 2 of 3", `["password", "min_length"]`,
		"sshpass -p $PASS ssh x", "secret_manager_of_everything_there_is_in_the_world", `"auth": "bm90aGluZw=="`,
		"login as ann, password to follow", "main.go:5432:12:x:y", "a.go:12:3:undefined:x", "ssh -p2222 mysql -u ann", "docker run --name mysql -p3306:3306 x",
		"mysql -u ann -p$PASS x", "mysql -u ann -p shop", "pattern.of.everything-in-a-us-state-that-is-not-a-key", "SKIPPED_BECAUSE_OF_A_LONG_NAME_1234567890",
		"ManagementOfManyThings25.values.OfWhichEachHasAVeryLongName", "a.123456.b",
		"password=form.password", "Basic authentication is over", "Bearer token", "docker run -u 1000:1000 x", "curl -u $USER:$PASS x",
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\nMIIB",
		"git@github.com:a/b.git", "react@18.2.0", "icon@2x.png", "a@b", "noreply@github.com", "you@example.com", "getty@tty1.service", "@app.route", "image@sha256:abcd",
		"https://x.dev/list?cursor=" + random, "image: YWxwaW5lOjMuMTk=", "Authorization: Scheme requiredhere", "bot 123456789:AAHshortbutnothing",
		"git@gitea.acme.io:ann/b", "/home/user/src", `"pwd": "/srv/app2"`, `PWD: "~/dev/app-2"`, "OLDPWD=/srv/app2", "search?q=a%20b%3Dc%2Fd", "/home/runner/work", "/Users/Shared/x", "example.org/home/ann", "src/Users/list.go", "api/var/home/ann", "acme.io/a/home/page", "a-Users-list-x", "my-Users-list-x", "go--Users-list-x", "a-home-made-thing", "/home/", "/home", "C:\\Users\\Public\\x",
	} {
		r := redact.New("")
		if got := r.Text(text); got != text || r.Counts.All() != 0 {
			t.Errorf("%q became %q, %v", text, got, r.Counts)
		}
	}
}

func TestPersonal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		kind       redact.Kind
	}{
		{"Author: Ann <ann.b+x@mail.acme.io>", "Author: Ann <[e-mail]>", redact.Email},
		{`{"out":"\nann@acme.io."}`, `{"out":"\n[e-mail]."}`, redact.Email},
		{"scp x ann@srv.acme.io:/srv", "scp x [e-mail]:/srv", redact.Email},
		{"1+ann@users.noreply.github.com", "[e-mail]", redact.Email},
		{"ls /home/annika/src", "ls /home/[user]/src", redact.User},
		{"cd /Users/annika", "cd /Users/[user]", redact.User},
		{"file:///home/annika.b/src", "file:///home/[user]/src", redact.User},
		{`C:\Users\Annika\src`, `C:\Users\[user]\src`, redact.User},
		{`"C:\\Users\\Annika\\src"`, `"C:\\Users\\[user]\\src"`, redact.User},
		{`\"C:\\\\Users\\\\Annika\\\\src\"`, `\"C:\\\\Users\\\\[user]\\\\src\"`, redact.User},
		{"~/.claude/projects/-home-annika-src/x.jsonl", "~/.claude/projects/-home-[user]-src/x.jsonl", redact.User},
		{"jörg.müller@acme.de", "[e-mail]", redact.Email},
		{"联系ann.b@acme.cn", "联系[e-mail]", redact.Email},
		{"\x1b[1;35mann@acme.io\x1b[0m", "\x1b[1;35m[e-mail]\x1b[0m", redact.Email},
		{"\x1b[35m/home/annika/a.go\x1b[0m:12", "\x1b[35m/home/[user]/a.go\x1b[0m:12", redact.User},
		{`\u001b[m/Users/annika/a`, `\u001b[m/Users/[user]/a`, redact.User},
		{"cd /mnt/c/Users/Annika/src", "cd /mnt/c/Users/[user]/src", redact.User},
		{"/c/Users/Annika/src", "/c/Users/[user]/src", redact.User},
		{"file:///C%3A/Users/Annika/src", "file:///C%3A/Users/[user]/src", redact.User},
		{"/var/home/annika/x", "/var/home/[user]/x", redact.User},
		{"/System/Volumes/Data/Users/annika/x", "/System/Volumes/Data/Users/[user]/x", redact.User},
		{"projects/C--Users-annika-src", "projects/C--Users-[user]-src", redact.User},
		{"projects/-mnt-c-Users-annika-src", "projects/-mnt-c-Users-[user]-src", redact.User},
		{"about Acme Corp", "about [redacted]", redact.Word},
		{"ACME CORP", "[redacted]", redact.Word},
	} {
		r := redact.New(" acme corp ", "")
		if got := r.Text(tt.text); got != tt.want || r.Counts[tt.kind] != 1 || r.Counts.All() != 1 {
			t.Errorf("%q\n gives %q\n  want %q, %v", tt.text, got, tt.want, r.Counts)
		}
	}
	if got := redact.New("user", "mail").Text("/home/annika/a bea@acme.io mail"); got != "/home/[user]/a [e-mail] [redacted]" {
		t.Error(got)
	}
	r := redact.New()
	if got := r.Text("/home/annika/a /home/annika/b bea@acme.io,carl@acme.io"); got != "/home/[user]/a /home/[user]/b [e-mail],[e-mail]" || r.Counts[redact.User] != 2 || r.Counts[redact.Email] != 2 {
		t.Error(got, r.Counts)
	}
	for k := range redact.Kind(len(r.Counts)) {
		if one, many := k.Words(); one == "" || many == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
}

// A text without anything costs a pass over it: this is done to each of a long
// conversation.
func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat("func (s *Session) Append(ctx context.Context, entries ...tenfold.Entry) error { return s.append(ctx, entries) } // session/session.go:120\n", 8000)
	r := redact.New()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}

// A word need not be text: whoever asks over the network may send any bytes.
func TestWordsThatAreNotUTF8(t *testing.T) {
	r := redact.New("\xc6\x84/\xb8\xfd\x0eJ", "\xff", "plain")
	if got := r.Text("a plain \xc6\x84/\xb8\xfd\x0eJ and \xfe end"); got != "a [redacted] [redacted] and [redacted] end" {
		t.Errorf("it becomes %q", got)
	}
}
