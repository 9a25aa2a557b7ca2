//go:build amd64 || arm64

package containment

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets of struct seccomp_data, on little-endian machines.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetFirst  = 16
)

// x32 is the bit of the calls of amd64's second way of calling, which would go
// around a filter that looks for numbers.
const x32 = 0x40000000

// filterCalls lets this thread, and what it becomes, make no sockets but those
// that the kernel itself answers, pairs, and with network those for IP, and ask for no key
// that the kernel keeps for the user. Landlock
// knows neither UDP (before ABI 10) nor multipath TCP nor, before ABI 9, Unix
// sockets.
func filterCalls(ip bool) error {
	const (
		allow    = unix.SECCOMP_RET_ALLOW
		refuse   = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		unknown  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		load     = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		returned = unix.BPF_RET | unix.BPF_K
	)
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	domains := []uint32{unix.AF_NETLINK}
	if ip {
		domains = append(domains, unix.AF_INET, unix.AF_INET6)
	}
	do := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	// when goes on with the next instruction if the test holds, else after it.
	when := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k, Jf: 1} }
	program := []unix.SockFilter{
		do(load, offsetArch),
		{Code: equal, K: arch, Jt: 1},
		do(returned, refuse),
		do(load, offsetNumber),
		when(atLeast, x32), do(returned, refuse),
		when(equal, unix.SYS_IO_URING_SETUP), do(returned, unknown), // its operations are not calls
		when(equal, unix.SYS_ADD_KEY), do(returned, unknown),
		when(equal, unix.SYS_REQUEST_KEY), do(returned, unknown),
		when(equal, unix.SYS_KEYCTL), do(returned, unknown),
		{Code: equal, K: unix.SYS_SOCKET, Jt: 1},
		do(returned, allow),
		do(load, offsetFirst),
	}
	for _, domain := range domains {
		program = append(program, when(equal, domain), do(returned, allow))
	}
	program = append(program, do(returned, refuse))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	form := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}                                 //nolint:gosec // a score of instructions
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&form)), 0, 0) //nolint:gosec // the kernel takes an address
}
