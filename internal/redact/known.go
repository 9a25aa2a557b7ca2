package redact

import (
	"regexp"
	"slices"
	"strings"
)

// prefixes are how keys of well-known makers begin, by how long what follows is
// at least. They are what the makers document so that scanners find them.
var prefixes = []struct {
	least int
	of    []string
}{
	{16, []string{
		"sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "whsec_", // Stripe
		"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-", // Slack
		"AKIA", "ASIA", "ABIA", "ACCA", // AWS
		"LTAI5t",                                                                               // Alibaba
		"glpat-", "gldt-", "glrt-", "glptt-", "gloas-", "glsoat-", "glcbt-", "glft-", "glimt-", // GitLab
		"GOCSPX-",                       // Google
		"sm_aat_", "sm_pat_", "sm_sat_", // SettleMint
	}},
	{20, []string{
		"sk-", "ya29.", "hvs.", "hvb.", "r8_", "ntn_", "tskey-", "pplx-", "dp.pt.", "fo1_", "lin_api_", "rubygems_", "key-", "pul-", "sbp_", "nvapi-",
		"figd_", "phc_", "phx_", "rnd_", "tvly-", "fc-", "e2b_", "ctx7sk-", "jina_", "vercel_", "sntrys_", "sntryu_",
		"sq0csp-", "sq0atp-", "dckr_pat_", "dckr_oat_", "sb_secret_", "NRAK-", "pscale_tkn_", "pscale_pw_",
		"dp.st.", "dp.sa.", "dp.ct.", "lin_oauth_", "GR1348941", "glffct-", "glwt-", "NRJS-", "NRII-", "bb_live_", "vck_", "vcp_", "vtwn_",
	}},
	{28, []string{"shpat_", "shpss_", "shpca_", "shppa_", "dapi", "glc_", "glsa_", "ATBB", "pat-na1-", "pat-eu1-", "aio_", "cal_live_", "zpka_", "signkey-prod-"}},
	{30, []string{
		"csk-", "lsv2_pt_", "lsv2_sk_", "AQ.Ab", "CFPAT-", "nfp_", "apify_api_", "waka_",
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "AIza", "npm_", "hf_", "gsk_", "PMAK-", "HRKU-", "bkua_", "CCIPAT_",
		"CCIPRJ_", "FLWSECK_TEST-", "FLWSECK-", "p8e-", "AQVN", "pnu_", "api_org_", "access-production-", "access-sandbox-", "snyk_uat.", "xaat-", "xapt-",
	}},
	{40, []string{
		"tgp_v1_", "bedrock-api-key-", "napi_", "ops_eyJ", "sk.eyJ", "sgp_", "ATCTT3",
		"secret_", "cfk_", "cfut_", "cfat_", "ATATT3", "fm1a_", "fm1r_", "fm2_", "sess-", "pypi-", "dop_v1_", "doo_v1_", "dor_v1_", "SG.", "xai-", "AGE-SECRET-KEY-",
		"pcsk_", "rpa_", "dtn_", "wandb_v1_", "pa-", "tk-us-", "squ_", "sqp_", "sqa_", "tfp_", "oy2", "glagent-", "shippo_live_", "shippo_test_",
		"duffel_live_", "duffel_test_", "EZAK", "EZTK", "cflt", "eyJrIjoi", "CLOJARS_", "fio-u-", "xkeysib-", "xsmtpsib-", "rdme_", "dt0c01.", "s-s4t2", "mlsn.",
		"AKCp", "cmVmdGtu", "pdl_live_apikey_",
	}},
}

// shortestKey is the fewest characters that all of them have.
const shortestKey = 19

// begins tells with which bytes a known key begins, so that most texts are passed
// over quickly.
var begins = func() (all [256]bool) {
	for _, p := range prefixes {
		for _, prefix := range p.of {
			all[prefix[0]] = true
		}
	}
	for _, c := range "ehdIo" { // JSON web tokens and webhooks
		all[c] = true
	}
	return all
}()

// webhooks are the addresses that anyone who has them may post to.
var webhooks = []string{
	"hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "hooks.zapier.com/hooks/catch/",
	"IncomingWebhook/", "open.feishu.cn/open-apis/bot/v2/hook/", "open.larksuite.com/open-apis/bot/v2/hook/",
}

// shapes are keys that no beginning tells, and a part that all of a shape have: of
// Airtable and Harness, Mailchimp, Twilio, Terraform, Azure (twice), Bedrock, Fireworks, Resend,
// our own tenants, Cloudflare, ElevenLabs, Cursor, Modal, crates.io, Octopus, Infracost, 1Password,
// OpenShift, Google, and Discord, whose keys are a number in base64, six characters and more.
var (
	shapeParts = []string{"pat", "sat.", "-us", "SK", ".atlasv1.", "JQQJ99", "Q~", "fw_", "re_", "tf_", "v1.0-", "sk_", "key_", "ak-", "as-", "cio", "API-", "ico-", "A3-", "256~", "1//0"}
	shapes     = regexp.MustCompile(`\b(?:pat[0-9A-Za-z]{14}\.[0-9a-f]{64}|[0-9a-f]{32}-us[0-9]{1,2}|SK[0-9a-f]{32}|[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,70}|[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{26}|` +
		`[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}|ABSK[0-9A-Za-z+/]{100,}|fw_[0-9A-Za-z]{22,24}|re_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}|` +
		`[ps]at\.[0-9A-Za-z_-]{22}\.[0-9a-f]{24}\.[0-9A-Za-z]{20}|v1\.0-[0-9a-f]{24}-[0-9a-f]{146}|sk_[0-9a-f]{48}|key_[0-9a-f]{64}|a[ks]-[0-9A-Za-z]{22}|cio[0-9A-Za-z]{32}|` +
		`API-[0-9A-Z]{26}|ico-[0-9A-Za-z]{32}|A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3}|sha256~[0-9A-Za-z_-]{43}|1//0[0-9A-Za-z_-]{40,}|` +
		`tf_[0-9]{1,10}_[a-z2-7]{12}_[a-z2-7]{52}|(?:[MNO][0-9A-Za-z]{3}){6}(?:[MNO][0-9A-Za-z])?\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,38})\b`)
)

// findShape finds the first key of a shape in a run, of which long ones are none.
func findShape(run string) (from, to int) {
	const least, most = 25, 512
	if len(run) < least || len(run) > most || !slices.ContainsFunc(shapeParts, func(part string) bool { return strings.Contains(run, part) }) && !hasPartOfSix(run) {
		return 0, 0
	}
	if at := shapes.FindStringIndex(run); at != nil {
		return at[0], at[1]
	}
	return 0, 0
}

// hasPartOfSix reports whether six characters stand between two dots.
func hasPartOfSix(run string) bool {
	for i := strings.IndexByte(run, '.'); i >= 0 && i+7 < len(run); i++ {
		if run[i] == '.' && run[i+7] == '.' {
			return true
		}
	}
	return false
}

// findKnown finds the first key of a known form in a run of bytes that may be a
// secret's: at its start, or behind a character that no key begins after.
func findKnown(run string) (from, to int) {
	if from, to = findShape(run); to > 0 {
		return from, to
	}
	end, last := 0, 0 // of the word at hand, and of what of it may be a key
	for i := 0; i+shortestKey <= len(run); i++ {
		if !begins[run[i]] || i > 0 && isPartOfWord(run[i-1]) {
			continue
		}
		rest := run[i:]
		if n := tokenLength(rest); n > 0 {
			return i, i + n
		}
		for _, w := range webhooks {
			if strings.HasPrefix(rest, w) && len(rest) > len(w)+shortest {
				return i + len(w), len(run)
			}
		}
		if end <= i {
			for end = i; end < len(run) && run[end] != '/' && run[end] != '=' && run[end] != '+' && run[end] != '~'; {
				end++
			}
			last = len(strings.TrimRight(run[:end], ".-"))
		}
		if i+shortestKey <= end && i < last && isKnownKey(run[i:last]) {
			return i, last
		}
	}
	return 0, 0
}

func isPartOfWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isKnownKey reports whether a word is a key of a known form. Of a long one the beginning
// tells: it may be looked at once for each of its bytes.
func isKnownKey(s string) bool {
	for _, p := range prefixes {
		for _, prefix := range p.of {
			if rest, ok := strings.CutPrefix(s, prefix); ok && len(rest) >= p.least {
				if rest = rest[:min(len(rest), 256)]; entropy(rest) > 2.5 && strings.ContainsAny(rest, "0123456789") {
					return true
				}
			}
		}
	}
	return false
}

// tokenLength is how long the JSON web token is that a text begins with: three parts,
// the first two objects in base64, or, where it is encrypted, five. 0 for none.
func tokenLength(s string) int {
	const longestHead = 2048
	head := strings.IndexByte(s[:min(len(s), longestHead)], '.')
	if !strings.HasPrefix(s, "eyJ") || head < 0 {
		return 0
	}
	end := 0
	for end < len(s) && (isPartOfWord(s[end]) || s[end] == '-' || s[end] == '.') {
		end++
	}
	s = strings.TrimRight(s[:end], ".")
	if dots := strings.Count(s, "."); (dots >= 4 || dots >= 2 && strings.Contains(s, ".eyJ")) && len(s) > 40 {
		return len(s)
	}
	return 0
}
