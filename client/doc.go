// Package client calls a Tenfold server from a program: it keeps conversations,
// reads them back, asks for what a model is to see, and compacts.
//
// [New] makes a [Client] for an address and a token. It has a method for each
// operation of the API, generated from the server's own document
// (/api/openapi.json), which says what each takes and gives. A program that keeps a
// conversation needs five of them:
//
//   - [Client.Begin] makes a conversation.
//   - [Client.Append] adds entries, all or none. With Expected the server refuses the
//     batch where another program came first.
//   - [Client.Body] gives the body of the request to the model, for its provider, and
//     says when it is the one that the program has already.
//   - [Client.Prepare] gives a plan of a compaction and writes nothing; [Client.Compact]
//     applies that plan, or what a wish comes to. [Client.Undo] takes it back.
//   - [Client.Follow] gives the events of a conversation as they come, across
//     connections that break off.
//
// # Retries
//
// A request that reads is repeated where the server cannot be reached or is busy.
// One that writes is repeated only where that is safe: Begin, Append and Compact carry
// an Idempotency-Key, made up for each call that names none, so that what it writes is
// written once however often it is sent. A program that is to survive its own restarts
// chooses the key itself, and sends the same body with it.
//
// # Errors
//
// What the server refuses is a [*Problem], with its code, its hint and, for a
// conflict, both versions. It is a problem.Error too, for whoever prints hints.
//
//	var p *client.Problem
//	if errors.As(err, &p) && p.Code == "conflict" {
//		// read what is new from *p.Expected on, and try again with *p.Actual
//	}
//
// Entries are [tenfold.Entry] and overlays [tenfold.Compaction], each in a type that
// writes its JSON form. Arguments of calls keep their bytes.
//
// The store of a server, for programs that use the whole library over it, is package
// tenfold/store/remote.
package client

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config gen/generate.yaml ../internal/web/openapi.json
