//go:build amd64 || arm64

package containment

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The superuser keeps what concerns files and processes of its own, and nothing else: with
// CAP_SYS_ADMIN in its namespaces it could make writable what is mounted read-only there.
func TestContainedCommandsHaveFewCapabilities(t *testing.T) {
	each(t, func(t *testing.T, s *scene, _ Level) {
		out, err := s.run(`sed -n 's/^Cap\(Inh\|Prm\|Eff\|Amb\):\t//p' /proc/self/status`)
		sets := strings.Fields(out)
		if err != nil || len(sets) != 4 {
			t.Fatalf("%q, %v", out, err)
		}
		const files = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID | 1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID
		for _, set := range sets {
			if has, err := strconv.ParseUint(set, 16, 64); err != nil || has&^files != 0 {
				t.Errorf("capabilities %q", sets)
			}
		}
	})
}
