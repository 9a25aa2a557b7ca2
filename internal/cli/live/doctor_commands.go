package live

import (
	"os"

	"tenfold/containment"
	"tenfold/internal/config"
)

// checkCommands says where the agent's commands run. It starts a process that
// contains itself.
func checkCommands(e *config.Effective) finding {
	f := finding{Check: "commands", Status: statusWarn, Hint: "the agent asks before it runs a command; allow those you trust in agent.permission.allow"}
	level, text := containment.Available()
	f.Detail = text
	if e.Agent.Permission.Containment == "off" {
		f.Detail = "not contained: agent.permission.containment is off"
		return f
	}
	if !level.Contains {
		return f
	}
	dir, err := os.Getwd()
	if err == nil {
		err = containment.Check(containment.Grant{Write: []string{dir}})
	}
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	f.Status, f.Hint = statusOK, ""
	if e.Agent.Permission.Network {
		f.Detail += "; agent.permission.network lets them use the network"
	}
	return f
}
