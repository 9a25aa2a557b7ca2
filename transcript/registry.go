package transcript

import (
	"slices"
	"strings"
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
func handlers() []handler {
	return []handler{
		tenfoldHandler(),
		claudeHandler(),
		codexHandler(),
		openCodeHandler(),
		piHandler(),
		geminiCLIHandler(),
		qwenHandler(),
		copilotHandler(),
		clineHandler(),
		crushHandler(),
		jpHandler(),
		anthropicHandler(),
		openaiChatHandler(),
		openaiResponsesHandler(),
		geminiHandler(),
		geminiResponsesHandler(),
		litellmHandler(),
		agentdojoHandler(),
		sweAgentHandler(),
		openHandsHandler(),
		inspectHandler(),
		whoAndWhenHandler(),
		locomoHandler(),
		aiderHandler(),
		specStoryHandler(),
		plainHandler(),
		markdownHandler(),
	}
}

// Formats lists the formats this package knows, in the order in which a
// listing shows them.
func Formats() []FormatInfo {
	var infos []FormatInfo
	for _, h := range handlers() {
		infos = append(infos, FormatInfo{Format: h.format, About: h.about, Import: h.importer != nil, Export: h.exporter != nil})
	}
	return infos
}

// find gives the handler of a format.
func find(f Format) (handler, bool) {
	all := handlers()
	i := slices.IndexFunc(all, func(h handler) bool { return h.format == f })
	if i < 0 {
		return handler{}, false
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
