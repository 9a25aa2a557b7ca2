//go:build unix

package toolbox

import "syscall"

// nonblock keeps an open of what has just become a pipe from waiting.
const nonblock = syscall.O_NONBLOCK
