package sample

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A kind writes n units of one kind of text.
type kind = func(s *Source, b *strings.Builder, n int)

var kinds = []kind{
	english, code, object, paths, hexes, scripts, scripts, emoji, marks, spaces, numbers,
	contractions, encoded, controls, points, cases, punctuation, runs, markup,
}

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

var words = strings.Fields(`the of and to in a is that it was for on are as with they be at one have this
from or had by hot but some what there we can out other were all your when up use word how said an each
she which do their time if will way about many then them would write like so these her long make thing
see him two has look more day could go come did my sound no most number who over know water than call
first people may down side been now find any new work part take get place made live where after back
little only round man year came show every good me give our under name very through just form much great
think say help low line before turn cause same mean differ move right boy old too does tell sentence set
three want air well also play small end put home read hand port large spell add even land here must big
high such follow act why ask men change went light kind off need house picture try us again animal point
mother world near build self earth father conversation compaction summary token context window repository
function implementation configuration performance benchmark asynchronous initialization authentication
internationalization counterrevolutionaries electroencephalography unbelievably misunderstanding`)

var identifiers = strings.Fields(`userID getUserByName HTTPServer parseJSONResponse max_tokens snake_case_name
kebab-case-name SCREAMING_SNAKE x i j tmp foo bar baz ctx err nil null undefined self this __init__ __main__
std::vector println! useState componentDidMount XMLHttpRequest getElementById i18n k8s utf8 sha256 base64url
toolCallId tool_use_id ReadFileAsync NewCompactionStrategy _privateField $scope @decorator #include iPhone`)

func english(s *Source, b *strings.Builder, n int) {
	for i := range n {
		w := pick(s, words)
		switch s.Intn(14) {
		case 0:
			w = strings.ToUpper(w[:1]) + w[1:]
		case 1:
			w = strings.ToUpper(w)
		case 2:
			w += pick(s, []string{",", ".", ";", ":", "!", "?", "...", "—", "”", ")", "'s", "n't", "’s"})
		case 3:
			w = pick(s, []string{"\"", "(", "“", "'", "*", "**", "_", "`", "¿"}) + w
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
}

func code(s *Source, b *strings.Builder, n int) {
	for range n {
		switch s.Intn(9) {
		case 0:
			b.WriteString("\n" + strings.Repeat(pick(s, []string{"\t", "    ", "  "}), s.Intn(5)))
		case 1:
			fmt.Fprintf(b, "if %s != %s {\n", pick(s, identifiers), pick(s, identifiers))
		case 2:
			fmt.Fprintf(b, "%s(%s, %d);", pick(s, identifiers), pick(s, identifiers), s.Intn(100000))
		case 3:
			fmt.Fprintf(b, "// %s %s\r\n", pick(s, words), pick(s, words))
		case 4:
			fmt.Fprintf(b, "def %s(self, %s=None):\n    return %s[%d:-1]", pick(s, identifiers), pick(s, words), pick(s, identifiers), s.Intn(9))
		case 5:
			b.WriteString(pick(s, []string{"=>", "->", "&&", "||", "!==", "::", "<<=", "{}", "[]", "/*", "*/", "//", "#!/", "+++", "---", "@@ -1,7 +1,9 @@"}))
		default:
			b.WriteString(pick(s, identifiers))
			b.WriteString(pick(s, []string{" ", ".", "(", ")", "\n", " = ", ";\n", "[0]", ", "}))
		}
	}
}

func object(s *Source, b *strings.Builder, n int) {
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteString(pick(s, []string{",", ", ", ",\n  "}))
		}
		fmt.Fprintf(b, "%q:", pick(s, identifiers))
		switch s.Intn(5) {
		case 0:
			fmt.Fprintf(b, "%d.%02d", s.Intn(1000000), s.Intn(100))
		case 1:
			b.WriteString(pick(s, []string{" true", "false", " null", "[]", "{}", "[1,2,3]"}))
		case 2:
			fmt.Fprintf(b, "\"%s\\n%s\\\"\\u00%02x\"", pick(s, words), pick(s, words), s.Intn(256))
		default:
			fmt.Fprintf(b, " %q", pick(s, words)+" "+pick(s, words))
		}
	}
	b.WriteByte('}')
}

func paths(s *Source, b *strings.Builder, n int) {
	for range n {
		switch s.Intn(6) {
		case 0:
			fmt.Fprintf(b, "https://%s.example.com/%s/%d?q=%s&x=%%%02X#%s", pick(s, words), pick(s, words), s.Intn(9999), pick(s, words), s.Intn(256), pick(s, words))
		case 1:
			b.WriteString("C:\\" + pick(s, identifiers) + "\\" + pick(s, words))
		case 2:
			fmt.Fprintf(b, "2025-%02d-%02dT%02d:%02d:%02d.%03dZ ", 1+s.Intn(12), 1+s.Intn(28), s.Intn(24), s.Intn(60), s.Intn(60), s.Intn(1000))
		default:
			b.WriteString(pick(s, []string{"/", "./", "../", "~/", ""}) + pick(s, words) + "/" + pick(s, identifiers) + pick(s, []string{".go", ".tsx", "_test.py:12:", "/\n", "//", " "}))
		}
	}
}

func hexes(s *Source, b *strings.Builder, n int) {
	for range n {
		switch s.Intn(4) {
		case 0:
			fmt.Fprintf(b, "%016x", s.next())
		case 1:
			fmt.Fprintf(b, "0x%X ", s.next()>>s.Intn(60))
		case 2:
			fmt.Fprintf(b, "%08x-%04x-%04x ", uint32(s.next()>>1), s.Intn(1<<16), s.Intn(1<<16))
		default:
			fmt.Fprintf(b, "toolu_%s\n", strings.ToUpper(fmt.Sprintf("%x", s.next()>>8)))
		}
	}
}

func encoded(s *Source, b *strings.Builder, n int) {
	for range n * 8 {
		b.WriteByte(base64Alphabet[s.Intn(64)])
	}
	b.WriteString(pick(s, []string{"", "=", "==", "\n"}))
}

// scriptRanges are letters, marks and digits of many scripts.
var scriptRanges = [][2]rune{
	{0xC0, 0x24F},
	{0x370, 0x3FF},
	{0x400, 0x52F},
	{0x531, 0x58A},
	{0x591, 0x5F4},
	{0x600, 0x6FF},
	{0x710, 0x74A},
	{0x780, 0x7B1},
	{0x900, 0x97F},
	{0x980, 0x9FE},
	{0xA01, 0xA76},
	{0xB82, 0xBFA},
	{0xC00, 0xC7F},
	{0xD00, 0xD7F},
	{0xD81, 0xDF4},
	{0xE01, 0xE5B},
	{0xE81, 0xEDF},
	{0xF00, 0xFDA},
	{0x1000, 0x109F},
	{0x10A0, 0x10FF},
	{0x1100, 0x11FF},
	{0x1200, 0x139F},
	{0x13A0, 0x13FD},
	{0x1780, 0x17F9},
	{0x1800, 0x18AA},
	{0x1E00, 0x1FFE},
	{0x2C80, 0x2CFF},
	{0x3041, 0x30FF},
	{0x3105, 0x312F},
	{0x4E00, 0x9FFF},
	{0x4E00, 0x57FF},
	{0xAC00, 0xD7A3},
	{0xA000, 0xA48C},
	{0xFB00, 0xFDFF},
	{0xFE70, 0xFEFC},
	{0xFF01, 0xFFDC},
	{0x10330, 0x1034A},
	{0x10400, 0x1044F},
	{0x12000, 0x12399},
	{0x1D400, 0x1D7FF},
	{0x1E900, 0x1E95F},
	{0x20000, 0x2A6DF},
	{0x1C80, 0x1CC7},
	{0xA640, 0xA7CA},
}

func scripts(s *Source, b *strings.Builder, n int) {
	r := pick(s, scriptRanges)
	for range n {
		for range 1 + s.Intn(8) {
			b.WriteRune(r[0] + rune(s.Intn(int(r[1]-r[0]+1))))
		}
		b.WriteString(pick(s, []string{" ", " ", "", ", ", "。", "、", "-", "\n", "'s", "A"}))
	}
}

var faces = []string{
	"😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🇯🇵", "❤️", "✅", "⚠️", "1️⃣", "🧑🏿‍🚀", "🤷‍♀️", "→", "✓", "•", "█", "░", "│", "├──", "└──", "…", "🫠", "🪿", "\u200d", "\ufe0f", "©", "™", "€", "½", "²", "①", "Ⅷ", "ª", "ǅ",
}

func emoji(s *Source, b *strings.Builder, n int) {
	for range n {
		b.WriteString(pick(s, faces))
		if s.Intn(3) == 0 {
			b.WriteString(pick(s, []string{" ", "a", "A", "!", "\n", "1"}))
		}
	}
}

var markRanges = [][2]rune{{0x300, 0x36F}, {0x483, 0x489}, {0x591, 0x5BD}, {0x64B, 0x65F}, {0x93A, 0x94F}, {0x1AB0, 0x1ACE}, {0x20D0, 0x20F0}, {0xFE00, 0xFE2F}, {0x1D165, 0x1D172}, {0xE0100, 0xE01EF}}

func marks(s *Source, b *strings.Builder, n int) {
	for range n {
		for range s.Intn(3) {
			r := pick(s, markRanges)
			b.WriteRune(r[0] + rune(s.Intn(int(r[1]-r[0]+1))))
		}
		b.WriteString(pick(s, []string{"a", "B", "e", "CD", "ef", " ", "!", "1", "日", "ǅ", "ʰ", "'s", "\n", ""}))
	}
}

func spaces(s *Source, b *strings.Builder, n int) {
	list := []string{" ", "  ", "    ", "\t", "\n", "\r\n", "\r", "\n\n", " \n", "\v", "\f", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u3000", "\u200b", "\ufeff"}
	for range n {
		w := pick(s, list)
		if s.Intn(2) == 0 {
			w = pick(s, list[:9])
		}
		b.WriteString(strings.Repeat(w, 1+s.Intn(4)))
		if s.Intn(4) == 0 {
			b.WriteString(pick(s, []string{"a", "B", "1", ".", "/", "é", "日", "'ll"}))
		}
	}
}

func numbers(s *Source, b *strings.Builder, n int) {
	for range n {
		switch s.Intn(4) {
		case 0:
			fmt.Fprintf(b, "%d", s.next()>>s.Intn(64))
		case 1:
			fmt.Fprintf(b, "%d,%03d.%02d%s", s.Intn(1000), s.Intn(1000), s.Intn(100), pick(s, []string{"%", "€", " ", "px", "e-9", "K"}))
		case 2:
			zero := pick(s, []rune{'0', 0x660, 0x6F0, 0x966, 0xE50, 0xFF10, 0x1D7CE, 0x2160, 0x3220, 0x2080})
			for range 1 + s.Intn(6) {
				b.WriteRune(zero + rune(s.Intn(9)))
			}
		default:
			fmt.Fprintf(b, "%d.%d.%d ", s.Intn(30), s.Intn(30), s.Intn(30))
		}
	}
}

func contractions(s *Source, b *strings.Builder, n int) {
	for range n {
		b.WriteString(pick(s, []string{"he", "I", "WE", "you", "don", "É", "日", "3", " ", "", "!", "x́", "ǅ"}))
		b.WriteString(pick(s, []string{"'s", "'S", "'t", "'T", "'re", "'RE", "'Re", "'rE", "'ve", "'VE", "'m", "'M", "'ll", "'LL", "'lL", "'d", "'D", "’s", "'ſ", "'x", "'", "''s", "'l", "'r"}))
		b.WriteString(pick(s, []string{" ", "", "a", "B", "1", ".", "\n"}))
	}
}

func controls(s *Source, b *strings.Builder, n int) {
	for range n {
		b.WriteByte(byte(s.Intn(0x20)))
		switch s.Intn(6) {
		case 0:
			fmt.Fprintf(b, "\x1b[%d;%dm", s.Intn(8), 30+s.Intn(8))
		case 1:
			b.WriteString(pick(s, []string{"\x7f", "\u0080", "\u009f", "\ufffd", "\ufffe", "\uffff", "\u00ad", "\u202e", "\x00\x00", "a"}))
		}
	}
}

// points writes code points drawn evenly from planes, assigned or not.
func points(s *Source, b *strings.Builder, n int) {
	limits := []rune{0x800, 0x3000, 0x10000, 0x10000, 0x20000, 0x110000}
	for range n {
		if r := rune(s.Intn(int(pick(s, limits)))); utf8.ValidRune(r) {
			b.WriteRune(r)
		}
		if s.Intn(4) == 0 {
			b.WriteString(pick(s, []string{"a", "A", " ", "'s", "1", "\n"}))
		}
	}
}

// cases writes words of letters of all cases: upper, lower, title, modifier,
// without case.
func cases(s *Source, b *strings.Builder, n int) {
	letters := []string{"a", "b", "A", "B", "é", "É", "ǅ", "ᾈ", "ʰ", "ˢ", "ª", "日", "ا", "ⅷ", "Ω", "ω", "ß", "ẞ", "İ", "ı", "\u0301", "ㅎ", "ー", "々", "𝐀", "𐐀", "𐐨"}
	for range n {
		for range 1 + s.Intn(5) {
			b.WriteString(pick(s, letters))
		}
		b.WriteString(pick(s, []string{"", "", " ", "_", "-", "'s", "'LL"}))
	}
}

func punctuation(s *Source, b *strings.Builder, n int) {
	list := []string{"!", "?", ".", ",", "/", "//", "\\", "-", "--", "=", "==", "#", "*", "**", "'", "\"", "`", "```", "(", "){", "};", "[", "<", "/>", "&", "%", "@", "^", "~", "|", "+", "$", ":", "_", "«", "。", "\u0301", "\n", "\r\n", "\n/", " ", " ", "/\n/"}
	for range n {
		b.WriteString(pick(s, list))
	}
	b.WriteString(pick(s, []string{"", "a", "\n", "A", "1"}))
}

// runs writes long runs of one or two characters.
func runs(s *Source, b *strings.Builder, n int) {
	list := []string{"a", "A", "=", "-", " ", "\n", "\t", "日", "0", "#", "/", "é", "ab", "xyz", "😀", ".", "*", "\r\n", "_", "e\u0301"}
	for range 1 + n/10 {
		b.WriteString(strings.Repeat(pick(s, list), 1+s.Intn(8*n)))
	}
}

func markup(s *Source, b *strings.Builder, n int) {
	for range n {
		w := pick(s, words)
		switch s.Intn(6) {
		case 0:
			fmt.Fprintf(b, "<%s class=\"%s\">%s</%s>", w, pick(s, identifiers), pick(s, words), w)
		case 1:
			fmt.Fprintf(b, "\n%s %s\n", strings.Repeat("#", 1+s.Intn(4)), w)
		case 2:
			b.WriteString(pick(s, []string{"<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|endofprompt|>", "&nbsp;", "&#39;", "<br/>"}))
		case 3:
			fmt.Fprintf(b, "| %s | **%s** | `%s` |\n|---|:--:|\n", w, pick(s, words), pick(s, identifiers))
		default:
			fmt.Fprintf(b, "- [%s](%s) ", w, pick(s, words))
		}
	}
}

// mixed writes single characters drawn from everything above, so that any two
// classes of characters come to be neighbours.
func mixed(s *Source, b *strings.Builder, n int) {
	list := []string{"a", "z", "A", "Z", "0", "9", " ", "  ", "\t", "\n", "\r", "'", "/", ".", "-", "\u0301", "\ufe0f", "é", "É", "ß", "ǅ", "ʰ", "日", "ا", "Ⅷ", "½", "٣", "😀", "\u00a0", "\u2028", "\u3000", "\u200d", "_", "s", "S", "ſ", "\x00", "\u0378", "𝐀", "𐐨", "\U000e0100"}
	for range n {
		b.WriteString(pick(s, list))
	}
}
