package web

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"tenfold/internal/web/door"
)

// framesType is the content type of requests to a store and of their answers.
const framesType = "application/vnd.tenfold.frames"

const framesDoc = `The store that this server is to the programs of other machines (Go: package store/remote): a path for each of its methods.

Requests and answers are frames: a byte that says what it is, the length of its content as an unsigned varint, and the content.
0 nothing, a sign of life; 1 an object, JSON; 2 an entry; 3 the end, without content: all was said; 4 a failure, JSON, and an end as well.
An entry is its seq as a varint, the length of its meta as an unsigned varint, the meta, and to the end its text: a row as stores on disk keep it, of one version of Tenfold and the next.
A request is an object, an entry for each that is appended, and an end. An answer is objects and entries, and an end or a failure; one without either was cut off.
A string that is not UTF-8 is written as an array of one string, its bytes in base64. An answer has the status 200 also where it is a failure:
its code is not_found, exists, conflict (with expected and actual), closed, invalid or store.`

// storeMethods are those of the store.
var storeMethods = []struct{ name, summary, takes, gives string }{
	{"create", "Make a conversation whose log begins with entries", "conversation; then its entries", "nothing"},
	{"conversation", "Say what is known of a conversation", "id", "conversation"},
	{"conversations", "List all conversations, the one last appended to first", "nothing", "an object with a conversation for each"},
	{"page", "List some of them, those behind a place in that order", "limit, place (updated, id; left out: from the first)", "an object with a conversation for each"},
	{"prefix", "List the conversations whose id begins so", "id, limit", "an object with a conversation for each"},
	{"handle", "List the conversations of a short form of their ids", "key", "an object with a conversation for each"},
	{"imported", "List the conversations of an origin", "key", "an object with a conversation for each"},
	{"title", "Rename a conversation", "id, title", "nothing"},
	{"delete", "Delete a conversation and its log", "id, expected (left out or -1: any version)", "nothing"},
	{"append", "Append entries, all or none of them; those whose id the log has are left out", "id, expected (left out: 0; -1: any version), now, stats, origin; then the entries", "version"},
	{"entries", "Read the entries after a seq", "id, after", "the entries"},
	{"watch", "Read the entries after a seq, and those that come, until the program hangs up", "id, after", "the conversation, then entries, and signs of life between them"},
	{"search", "Find entries by their words", "text, id (of one conversation), limit", "for each hit an object with id and snippet, and the entry"},
}

// describeStore adds the methods of the store to the document.
func describeStore(doc *huma.OpenAPI) {
	doc.Tags = append(doc.Tags, &huma.Tag{Name: "store", Description: framesDoc})
	problems := doc.Paths["/api/meta"].Get.Responses["default"]
	frames := func(text string) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{framesType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary", Description: text}}}
	}
	for _, m := range storeMethods {
		doc.Paths[door.StorePath+m.name] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "store" + strings.ToUpper(m.name[:1]) + m.name[1:], Method: http.MethodPost, Path: door.StorePath + m.name,
			Tags: []string{"store"}, Summary: m.summary,
			RequestBody: &huma.RequestBody{Required: true, Content: frames("the object has " + m.takes)},
			Responses: map[string]*huma.Response{
				"200":     {Description: "What the store says: " + m.gives, Content: frames(m.gives)},
				"default": problems,
			},
		}}
	}
}
