// Package keeper knows the conversations that go through a proxy: it tells them
// apart, keeps them in a store, and changes the bytes of a request where an epoch
// begins (live §4, X2–X6). When to compact and what is decided by package session.
package keeper
