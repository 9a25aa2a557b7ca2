package web

import (
	"net/http"

	"github.com/go-json-experiment/json"
)

// refuse answers with an error in the shape that all of the API has: problem+json
// with a code and a hint.
func refuse(w http.ResponseWriter, status int, code, detail, hint string) {
	data, _ := json.Marshal(struct {
		Status int    `json:"status"`
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Code   string `json:"code"`
		Hint   string `json:"hint"`
	}{status, http.StatusText(status), detail, code, hint})
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
