// Package bench compares package token with a peer, in a module of its own so
// that the peer is not a dependency of the program. The peer,
// github.com/pkoukk/tiktoken-go, is given our vocabulary through its loader,
// because its own comes over the network. From this directory:
//
//	go test -bench . -benchtime 5x
package bench
