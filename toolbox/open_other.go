//go:build !unix

package toolbox

const nonblock = 0
