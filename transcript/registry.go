package transcript

import (
	"slices"
	"strings"

	"tenfold/transcript/internal/benchmark"
	"tenfold/transcript/internal/chatapi"
	"tenfold/transcript/internal/claudecode"
	"tenfold/transcript/internal/cline"
	"tenfold/transcript/internal/codex"
	"tenfold/transcript/internal/copilot"
	"tenfold/transcript/internal/crush"
	"tenfold/transcript/internal/database"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/geminicli"
	"tenfold/transcript/internal/jp"
	"tenfold/transcript/internal/native"
	"tenfold/transcript/internal/opencode"
	"tenfold/transcript/internal/openhands"
	"tenfold/transcript/internal/pi"
	"tenfold/transcript/internal/prose"
)

// FormatInfo says what can be done with a format.
type FormatInfo struct {
	Format Format
	// About is one line for a listing.
	About string
	// Import and Export say whether it can be read and written.
	Import, Export bool
}

// handlers lists what the package can do, in the order in which a listing
// shows it; a function, for nothing here is global state. Each format's
// handler stands beside its importer.
func handlers() []engine.Handler {
	list := []engine.Handler{
		native.Handler(),
		claudecode.Handler(),
		codex.Handler(),
		opencode.Handler(),
		pi.Handler(),
		geminicli.Handler(),
		geminicli.QwenHandler(),
		copilot.Handler(),
		cline.Handler(),
		crush.Handler(),
		jp.Handler(),
	}
	list = append(list, chatapi.Handlers()...)
	return append(
		list,
		benchmark.SweAgentHandler(),
		openhands.Handler(),
		benchmark.InspectHandler(),
		benchmark.WhoAndWhenHandler(),
		benchmark.LocomoHandler(),
		prose.AiderHandler(),
		prose.SpecStoryHandler(),
		prose.PlainHandler(),
		prose.MarkdownHandler(),
	)
}

// databases lists those whose tools keep sessions in databases.
func databases() []database.Importer {
	return []database.Importer{opencode.Database(), crush.Database()}
}

// Formats lists the formats this package knows, in the order in which a
// listing shows them.
func Formats() []FormatInfo {
	var infos []FormatInfo
	for _, h := range handlers() {
		infos = append(infos, FormatInfo{Format: h.Format, About: h.About, Import: h.Import != nil, Export: h.Export != nil})
	}
	return infos
}

func find(f Format) (engine.Handler, bool) {
	all := handlers()
	i := slices.IndexFunc(all, func(h engine.Handler) bool { return h.Format == f })
	if i < 0 {
		return engine.Handler{}, false
	}
	return all[i], true
}

// named lists the formats that a condition holds for, for a message.
func named(wanted func(FormatInfo) bool) string {
	var names []string
	for _, f := range Formats() {
		if wanted(f) {
			names = append(names, string(f.Format))
		}
	}
	return strings.Join(names, ", ")
}

func knownFormats() string { return named(func(f FormatInfo) bool { return f.Import }) }
