// Package web is what stands behind "tenfold serve": an HTTP API over the
// conversations of a store, described by OpenAPI, a stream of events, and the page.
// It has no rule of its own: whatever it does, the command line does the same way.
//
// Its rooms: shape says what the API takes and gives, door who may ask, talk what
// agents of this server do in conversations; api*.go here are the operations; page is
// the page, in TypeScript, and page/dist what is served of it.
package web

//go:generate go run ./gen openapi.json
