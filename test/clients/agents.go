package clients

import (
	"database/sql"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	_ "modernc.org/sqlite" // opencode's sessions

	"tenfold/test/modelserver"
)

// All lists the clients.
func All() []Client {
	return []Client{ClaudeCode(), Codex(), OpenCode(), Pi(), GeminiCLI()}
}

// call makes a call of values that are JSON.
func call(tool string, arguments map[string]any) modelserver.Block {
	data, err := json.Marshal(arguments, json.Deterministic(true))
	if err != nil {
		panic(err) // texts and lists of texts
	}
	return modelserver.Call(tool, string(data))
}

// reads gives a Client's Reads for a tool and its argument.
func reads(tool, argument string) func(string) modelserver.Block {
	return func(path string) modelserver.Block { return call(tool, map[string]any{argument: path}) }
}

var claudeFlags = []string{"--model", "claude-fable-5-1", "--allowedTools", "Read,Bash,Agent"}

// ClaudeCode is Anthropic's agent. It refuses to run unattended as root unless
// it is told that it is in a sandbox.
func ClaudeCode() Client {
	flags := claudeFlags
	return Client{
		Name: "claude-code", Wire: modelserver.Anthropic, bin: "claude",
		Reads: reads("Read", "file_path"),
		Runs: func(command string) modelserver.Block {
			return call("Bash", map[string]any{"command": command, "description": "Run it"})
		},
		prepare: func(*Place) error { return nil },
		env: func(p *Place) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + p.URL, "ANTHROPIC_API_KEY=test", "IS_SANDBOX=1",
				"_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1", // as people run it
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				"XDG_DATA_HOME=" + p.data(), "XDG_CONFIG_HOME=" + p.data(), // for the plug-in: as Tenfold is told
			}
		},
		begin: func(prompt string) []string { return append([]string{"-p", prompt}, flags...) },
		resume: func(s Session, prompt string) []string {
			return append([]string{"-p", prompt, "--resume", s.Path}, flags...)
		},
		sessions: ".claude/projects/*/*.jsonl",
		take:     func(_ *Place, file string) Session { return Session{ID: idOf(file), Path: file} },
	}
}

// Codex is OpenAI's agent. It tries a WebSocket first, which the server
// refuses in the way it understands (426).
func Codex() Client {
	flags := func(p ...string) []string {
		return append(p, "--skip-git-repo-check", "-m", "gpt-5.5")
	}
	return Client{
		Name: "codex", Wire: modelserver.Responses, bin: "codex",
		Reads: func(path string) modelserver.Block {
			return call("exec_command", map[string]any{"cmd": "cat " + path})
		},
		Runs: func(command string) modelserver.Block {
			return call("exec_command", map[string]any{"cmd": command})
		},
		prepare: func(p *Place) error {
			p.Write(filepath.Join(p.Home, ".codex", "config.toml"),
				"openai_base_url = \""+p.URL+"/v1\"\nsandbox_mode = \"danger-full-access\"\n")
			return nil
		},
		env:    func(*Place) []string { return []string{"CODEX_API_KEY=test", "OPENAI_API_KEY=test"} },
		begin:  func(prompt string) []string { return append(flags("exec"), prompt) },
		resume: func(s Session, prompt string) []string { return append(flags("exec", "resume"), s.ID, prompt) },

		sessions: ".codex/sessions/*/*/*/*.jsonl",
		take: func(p *Place, file string) Session {
			var meta struct {
				Payload struct {
					ID string `json:"id"`
				} `json:"payload"`
			}
			data := p.read(file)
			if err := unmarshalFirst(data, &meta); err != nil {
				p.tb.Fatal(err)
			}
			name := filepath.Join(p.Home, ".codex", "sessions", "2026", "01", "01", "rollout-2026-01-01T00-00-00-"+meta.Payload.ID+".jsonl")
			p.Write(name, data)
			return Session{ID: meta.Payload.ID, Path: name}
		},
	}
}

// OpenCode keeps its sessions in a database.
func OpenCode() Client {
	const model = "anthropic/claude-sonnet-4-5"
	return Client{
		Name: "opencode", Wire: modelserver.Anthropic, bin: "opencode",
		Reads: reads("read", "filePath"),
		Runs: func(command string) modelserver.Block {
			return call("bash", map[string]any{"command": command, "description": "Run it"})
		},
		prepare: func(p *Place) error {
			p.Write(filepath.Join(filepath.Dir(p.Home), "models.json"), openCodeModels)
			p.Write(filepath.Join(p.Home, ".config", "opencode", "opencode.json"),
				`{"autoupdate":false,"share":"disabled","provider":{"anthropic":{"options":{"baseURL":"`+p.URL+`/v1","apiKey":"test"}}}}`)
			return nil
		},
		env: func(p *Place) []string {
			return []string{
				"XDG_DATA_HOME=" + p.data(), // as Tenfold is told
				"OPENCODE_MODELS_PATH=" + filepath.Join(filepath.Dir(p.Home), "models.json"),
				"OPENCODE_PURE=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
				"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_SHARE=1",
				"BUN_JSC_useFTLJIT=0", // its runs take seconds, for which optimizing it does not pay
			}
		},
		piped: true, // it puts quotes around an argument
		begin: func(string) []string { return []string{"run", "--model", model} },
		resume: func(s Session, _ string) []string {
			return []string{"run", "--model", model, "--session", s.ID}
		},
		take: func(p *Place, file string) Session {
			p.Run("import", file)
			var export struct {
				Info struct {
					ID string `json:"id"`
				} `json:"info"`
			}
			if err := json.Unmarshal([]byte(p.read(file)), &export); err != nil {
				p.tb.Fatal(err)
			}
			return Session{ID: export.Info.ID}
		},
	}
}

// openCodeModels are what opencode would otherwise read of two thousand models at
// each start: those that it asks here.
const openCodeModels = `{"anthropic":{"id":"anthropic","name":"Anthropic","npm":"@ai-sdk/anthropic","env":["ANTHROPIC_API_KEY"],"models":{` +
	`"claude-sonnet-4-5":{"id":"claude-sonnet-4-5","name":"Sonnet","family":"claude-sonnet","attachment":true,"reasoning":true,"tool_call":true,"temperature":true,` +
	`"release_date":"2025-09-29","modalities":{"input":["text","image","pdf"],"output":["text"]},"limit":{"context":1000000,"output":64000},"cost":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75}},` +
	`"claude-haiku-4-5-20251001":{"id":"claude-haiku-4-5-20251001","name":"Haiku","family":"claude-haiku","attachment":true,"reasoning":true,"tool_call":true,"temperature":true,` +
	`"release_date":"2025-10-15","modalities":{"input":["text","image","pdf"],"output":["text"]},"limit":{"context":200000,"output":64000},"cost":{"input":1,"output":5,"cache_read":0.1,"cache_write":1.25}}}}}`

// opencodeSessions lists what "opencode session list" does, without starting it.
func (p *Place) opencodeSessions() (list []Session) {
	p.tb.Helper()
	file := filepath.Join(p.data(), "opencode", "opencode.db")
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(p.tb.Context(), "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC")
	if err != nil {
		p.tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s Session
		if err := rows.Scan(&s.ID); err != nil {
			p.tb.Fatal(err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		p.tb.Fatal(err)
	}
	return list
}

// Pi is driven by a model of Anthropic's.
func Pi() Client {
	flags := []string{"--provider", "anthropic", "--model", "claude-sonnet-4-5"}
	return Client{
		Name: "pi", Wire: modelserver.Anthropic, bin: "pi",
		Reads: reads("read", "path"),
		Runs:  func(command string) modelserver.Block { return call("bash", map[string]any{"command": command}) },
		prepare: func(p *Place) error {
			p.Write(filepath.Join(p.Home, ".pi", "agent", "models.json"), `{"providers":{"anthropic":{"baseUrl":"`+p.URL+`"}}}`)
			return nil
		},
		env:   func(*Place) []string { return []string{"ANTHROPIC_API_KEY=test", "PI_OFFLINE=1"} },
		begin: func(prompt string) []string { return append([]string{"-p", prompt}, flags...) },
		resume: func(s Session, prompt string) []string {
			return append([]string{"-p", prompt, "--session", s.Path}, flags...)
		},
		sessions: ".pi/agent/sessions/*/*.jsonl",
		take:     func(_ *Place, file string) Session { return Session{ID: idOf(file), Path: file} },
	}
}

// GeminiCLI asks a small model which model should answer, before each prompt.
func GeminiCLI() Client {
	return Client{
		Name: "gemini-cli", Wire: modelserver.Gemini, bin: "gemini",
		Reads: reads("read_file", "file_path"),
		Runs: func(command string) modelserver.Block {
			return call("run_shell_command", map[string]any{"command": command, "description": "Run it"})
		},
		prepare: func(p *Place) error {
			p.Write(filepath.Join(p.Home, ".gemini", "settings.json"),
				`{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false}}`)
			return nil
		},
		env: func(p *Place) []string {
			return []string{
				"GEMINI_API_KEY=test", "GOOGLE_GEMINI_BASE_URL=" + p.URL,
				"GEMINI_CLI_NO_RELAUNCH=1", // it starts twice, the second time with more memory
				"NODE_COMPILE_CACHE=" + filepath.Join(filepath.Dir(binaries()), ".cache", "node"), // a quarter of a start
			}
		},
		begin: func(prompt string) []string { return []string{"-y", "--skip-trust", "-p", prompt} },
		resume: func(_ Session, prompt string) []string {
			return []string{"-y", "--skip-trust", "--resume", "latest", "-p", prompt}
		},
		take: func(p *Place, file string) Session {
			name := filepath.Join(p.Home, ".gemini", "tmp", "demo", "chats", "session-2026-01-01T00-00-00000000.jsonl")
			p.Write(name, p.read(file))
			return Session{ID: idOf(file), Path: name}
		},
		sessions: ".gemini/tmp/*/chats/session-*.jsonl",
	}
}
