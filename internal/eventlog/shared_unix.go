//go:build unix && !aix && !solaris

package eventlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// share marks the file as open until it is closed, however its program ends, and tells
// whether another has it open. A file system that knows no locks says of nobody that it has.
func share(file *os.File) (others bool) {
	fd := int(file.Fd())
	others = errors.Is(unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
	_ = unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB)
	return others
}
