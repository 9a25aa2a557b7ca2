package claudecode

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

// claudeEnv is what every line says of where the session ran.
type claudeEnv struct {
	UserType  string `json:"userType"`
	Cwd       string `json:"cwd"`
	SessionID string `json:"sessionId"`
	Version   string `json:"version"`
	GitBranch string `json:"gitBranch"`
}

// claudeEnvironment takes over what the newest lines of a session say.
func claudeEnvironment(scan *walk.Scanner, records []claudeRecord) claudeEnv {
	var env, line claudeEnv
	shape := walk.Shape{
		"userType", &line.UserType, "cwd", &line.Cwd, "sessionId", &line.SessionID, "version", &line.Version, "gitBranch", &line.GitBranch,
	}
	const lines = 1000
	for i := len(records) - 1; i >= max(0, len(records)-lines); i-- {
		line = claudeEnv{}
		scan.Reset([]byte(records[i].source))
		shape.Read(scan)
		env = claudeEnv{
			cmp.Or(env.UserType, line.UserType), cmp.Or(env.Cwd, line.Cwd), cmp.Or(env.SessionID, line.SessionID),
			cmp.Or(env.Version, line.Version), cmp.Or(env.GitBranch, line.GitBranch),
		}
		if env.UserType != "" && env.Cwd != "" && env.SessionID != "" && env.Version != "" {
			break
		}
	}
	env.UserType, env.Cwd, env.Version = cmp.Or(env.UserType, "external"), cmp.Or(env.Cwd, "."), cmp.Or(env.Version, "0.0.0")
	return env
}

// The lines, with their members in the order in which Claude Code writes them.
type (
	claudeHead struct {
		Parent    *string `json:"parentUuid"`
		Logical   *string `json:"logicalParentUuid,omitzero"`
		Sidechain bool    `json:"isSidechain"`
		claudeEnv
		Agent string `json:"agentId,omitzero"`
		Type  string `json:"type"`
	}
	claudeTail struct {
		UUID string `json:"uuid"`
		Time string `json:"timestamp"`
	}
	claudeUser struct {
		claudeHead
		Message struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"message"`
		Meta       bool `json:"isMeta,omitzero"`
		Transcript bool `json:"isVisibleInTranscriptOnly,omitzero"`
		Summary    bool `json:"isCompactSummary,omitzero"`
		claudeTail
	}
	claudeAssistant struct {
		claudeHead
		Message struct {
			Model        string           `json:"model"`
			ID           string           `json:"id"`
			Type         string           `json:"type"`
			Role         string           `json:"role"`
			Content      []jsontext.Value `json:"content"`
			StopReason   *string          `json:"stop_reason"`
			StopSequence *string          `json:"stop_sequence"`
			Usage        claudeCounts     `json:"usage"`
		} `json:"message"`
		Display string `json:"thinkingDisplay,omitzero"`
		claudeTail
	}
	claudeCounts struct {
		Input      int `json:"input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		Output     int `json:"output_tokens"`
	}
	claudeBoundary struct {
		claudeHead
		Subtype string `json:"subtype"`
		Content string `json:"content"`
		Meta    bool   `json:"isMeta"`
		claudeTail
		Level    string `json:"level"`
		Metadata struct {
			Trigger string `json:"trigger"`
			Before  int    `json:"preTokens"`
			After   int    `json:"postTokens,omitzero"`

			Discovered []string `json:"preCompactDiscoveredTools,omitzero"`
		} `json:"compactMetadata"`
	}
)

// head begins a line; of is what the line's uuid is derived from.
func (x *claudeLines) head(typ, of string) (claudeHead, claudeTail) {
	x.made++
	h := claudeHead{Sidechain: x.agent != "", Agent: x.agent, claudeEnv: x.env, Type: typ}
	h.SessionID = x.session
	if x.last != "" {
		last := x.last
		h.Parent = &last
	}
	x.last = intake.UUIDOf(x.conv, x.session+" "+of+" "+strconv.Itoa(x.made))
	return h, claudeTail{UUID: x.last, Time: engine.WriteTime(x.now)}
}
