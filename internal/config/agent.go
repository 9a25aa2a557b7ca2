package config

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"tenfold/permission"
	"tenfold/problem"
)

// Agent is the table agent. Neither a conversation nor, but for rules that narrow,
// the file of a workspace may set any of it.
type Agent struct {
	System     string               `json:"system,omitempty" jsonschema:"System prompt, in place of the built-in one." eg:"\"You are a careful engineer.\""`
	MaxSteps   Count                `json:"max_steps,omitempty" jsonschema:"Most answers of the model in one run, sub-agents included; 0 sets no limit." eg:"250"`
	MaxTokens  Tokens               `json:"max_tokens,omitempty" jsonschema:"Most tokens of input and output in one run; \"off\" sets no limit." eg:"\"5m\""`
	MaxDollars Dollars              `json:"max_dollars,omitempty" jsonschema:"Most dollars spent in one run, by the known prices; 0 sets no limit." eg:"2.5"`
	MaxTime    Duration             `json:"max_time,omitempty" jsonschema:"Time limit of one run; by default there is none." eg:"\"1h\""`
	Transcript bool                 `json:"transcript,omitempty" jsonschema:"Write a transcript file of each session, in session_dir or beside the store." eg:"true"`
	Permission Permission           `json:"permission,omitzero" jsonschema:"What the agent may do without asking."`
	Tools      map[string]AgentTool `json:"tools,omitempty" jsonschema:"Programs of your own that a model may call, by the name it calls them by."`
	MCP        map[string]MCPServer `json:"mcp,omitempty" jsonschema:"MCP servers, by name: a model calls their tools as NAME__TOOL."`
}

// Permission is the table agent.permission.
type Permission struct {
	Allow       Rules  `json:"allow,omitempty" jsonschema:"Calls to run without asking, as TOOL or TOOL:PATTERN. Commands that a rule allows run outside of containment." eg:"[\"shell:go test *\"]"`
	Ask         Rules  `json:"ask,omitempty" jsonschema:"Calls to ask about each time. Asking beats allowing. Rules of a workspace's file are added to yours." eg:"[\"shell:git push *\"]" open:"yes" adds:"yes"`
	Deny        Rules  `json:"deny,omitempty" jsonschema:"Calls to refuse. Refusing beats all else. Rules of a workspace's file are added to yours." eg:"[\"fs_read_file:.env\"]" open:"yes" adds:"yes"`
	Containment string `json:"containment,omitempty" one:"auto off" jsonschema:"Run commands contained, without asking, where the machine can: they write only to the work tree and to temporary files." eg:"\"auto\""`
	Network     bool   `json:"network,omitempty" jsonschema:"Let contained commands use the network." eg:"false"`
}

// AgentTool is the table agent.tools.NAME.
type AgentTool struct {
	Command     Argv                 `json:"command,omitempty" jsonschema:"The program and its arguments; no shell is involved. It reads the call's arguments as JSON on its standard input." eg:"[\"my-tool\", \"--json\"]"`
	Description string               `json:"description,omitempty" jsonschema:"Description for the model." eg:"\"Looks a customer up.\""`
	Parameters  map[string]Parameter `json:"parameters,omitempty" jsonschema:"Its arguments, by name."`
	Env         EnvNames             `json:"env,omitempty" jsonschema:"Environment variables that command is given beside the usual ones; API keys are not among those." eg:"[\"EXAMPLE_TOKEN\"]"`
	Timeout     Duration             `json:"timeout,omitempty" jsonschema:"Time limit of a call; defaults to two minutes." eg:"\"2m\""`
	Subsumes    bool                 `json:"subsumes,omitempty" jsonschema:"The program also says whether a later call makes an earlier one needless: compaction asks it. See docs/agent.md." eg:"true"`
}

// Parameter is the table agent.tools.NAME.parameters.NAME.
type Parameter struct {
	Type        string `json:"type,omitempty" one:"string integer number boolean array object" jsonschema:"Type of its value; defaults to string." eg:"\"string\""`
	Description string `json:"description,omitempty" jsonschema:"Description for the model." eg:"\"The customer's number.\""`
	Required    bool   `json:"required,omitempty" jsonschema:"Calls without it are refused." eg:"true"`
}

// MCPServer is the table agent.mcp.NAME. It has a command or an address.
type MCPServer struct {
	Command  Argv     `json:"command,omitempty" jsonschema:"The program that is the server and its arguments; no shell is involved." eg:"[\"npx\", \"-y\", \"some-server\"]"`
	URL      URL      `json:"url,omitempty" jsonschema:"Address of a server that is reached by HTTP." eg:"\"https://mcp.example.com/mcp\""`
	TokenEnv EnvName  `json:"token_env,omitempty" jsonschema:"Environment variable that holds the bearer token for url." eg:"\"EXAMPLE_TOKEN\""`
	Env      EnvNames `json:"env,omitempty" jsonschema:"Environment variables that command is given beside the usual ones; API keys are not among those." eg:"[\"EXAMPLE_TOKEN\"]"`
}

// PermissionRules are the rules of the configuration, with those that the command
// line allows besides; containable tells that commands can be contained.
func (c Config) PermissionRules(allow []string, containable bool) permission.Rules {
	p := c.Agent.Permission
	return permission.Rules{
		Allow: append(append([]string(nil), p.Allow...), allow...), Ask: p.Ask, Deny: p.Deny,
		Contained: containable && p.Containment != "off", Network: p.Network,
	}
}

// Schema is the JSON Schema of the arguments of calls.
func (t AgentTool) Schema() string {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}{Type: "object", Properties: map[string]property{}}
	for _, name := range slices.Sorted(maps.Keys(t.Parameters)) {
		p := t.Parameters[name]
		schema.Properties[name] = property{cmp.Or(p.Type, "string"), p.Description}
		if p.Required {
			schema.Required = append(schema.Required, name)
		}
	}
	text, err := json.Marshal(schema, json.Deterministic(true))
	if err != nil {
		return "{}" // texts that are not UTF-8, which no file of ours has
	}
	return string(text)
}

// readRules reads rules of the permission.
func readRules(v any) (any, error) {
	texts, err := readTexts(v)
	if err != nil {
		return nil, err
	}
	if _, err := permission.New(permission.Rules{Allow: texts}); err != nil {
		return nil, err
	}
	return texts, nil
}

// readArgv reads a program and its arguments.
func readArgv(v any) (any, error) {
	texts, err := readTexts(v)
	if err != nil || len(texts) == 0 || texts[0] == "" {
		return nil, errMust
	}
	return texts, nil
}

func readTexts(v any) ([]string, error) {
	list, ok := v.([]any)
	texts := []string{}
	for _, one := range list {
		text, isText := one.(string)
		ok = ok && isText
		texts = append(texts, text)
	}
	if !ok {
		return nil, errMust
	}
	return texts, nil
}

// readEnvNames reads names of environment variables.
func readEnvNames(v any) (any, error) {
	texts, err := readTexts(v)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		if _, err := readEnvName(text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// readDollars reads an amount of money.
func readDollars(v any) (any, error) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	default:
		return nil, errMust
	}
	if !(f >= 0 && f <= maxDollars) { // not so for NaN
		return nil, errMust
	}
	return f, nil
}

const maxDollars = 1e6

// danglingAgent lists the tools and servers that nothing can be started for.
func (c Config) danglingAgent() (all []*problem.Error) {
	for _, name := range slices.Sorted(maps.Keys(c.Agent.Tools)) {
		if len(c.Agent.Tools[name].Command) == 0 {
			all = append(all, &problem.Error{Subject: "agent.tools." + join([]string{name}), Problem: "it has no command", Hint: "set command to the program and its arguments"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agent.MCP)) {
		if s := c.Agent.MCP[name]; (len(s.Command) == 0) == (s.URL == "") {
			all = append(all, &problem.Error{Subject: "agent.mcp." + join([]string{name}), Problem: "it needs either a command or a url", Hint: "set one of them"})
		}
	}
	return all
}
