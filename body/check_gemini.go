package body

import "github.com/go-json-experiment/json/jsontext"

// checkGemini follows generateContent: contents begin with the user's and
// alternate; the content after one with calls answers each of them, first
// thing; no empty part.
func checkGemini(body []byte) []Violation {
	var r report
	var b struct {
		Tools []struct {
			Functions []namedTool `json:"functionDeclarations"`
		} `json:"tools"`
		Contents []struct {
			Role  string           `json:"role"`
			Parts []jsontext.Value `json:"parts"`
		} `json:"contents"`
	}
	if !r.read("body", body, &b) {
		return r.list
	}
	for _, t := range b.Tools {
		checkTools(&r, t.Functions, geminiToolNames())
	}
	checkBegun(&r, "contents", len(b.Contents) > 0)
	ids := newCalls()
	for i, c := range b.Contents {
		path := at("contents", i)
		if want := [2]string{"user", "model"}[i%2]; c.Role != want {
			r.addf(path, "role is %q where %q must stand", c.Role, want)
		}
		if len(c.Parts) == 0 {
			r.addf(path, "an empty content")
		}
		said := false
		for j, raw := range c.Parts {
			p := at(path+".parts", j)
			answers := checkGeminiPart(&r, ids, p, c.Role, raw)
			if answers && said {
				r.addf(p, "a function response must stand first in its content")
			}
			said = said || !answers
		}
		if c.Role == "user" {
			ids.settled(&r, path)
		}
	}
	ids.settled(&r, "contents")
	return r.list
}

// checkGeminiPart reports whether the part is a function response.
func checkGeminiPart(r *report, ids *calls, path, role string, raw jsontext.Value) bool {
	var p struct {
		Text      *string `json:"text"`
		Signature string  `json:"thoughtSignature"`
		Call      *struct {
			ID   string         `json:"id"`
			Name string         `json:"name"`
			Args jsontext.Value `json:"args"`
		} `json:"functionCall"`
		Response *struct {
			ID       string         `json:"id"`
			Name     string         `json:"name"`
			Response jsontext.Value `json:"response"`
		} `json:"functionResponse"`
		Inline jsontext.Value `json:"inlineData"`
		File   jsontext.Value `json:"fileData"`
	}
	if raw.Kind() != '{' || !r.read(path, raw, &p) {
		r.addf(path, "is not a part")
		return false
	}
	switch {
	case p.Call != nil:
		if role != "model" {
			r.addf(path, "a function call in a user content")
		}
		ids.call(r, path, p.Call.ID)
		checkTool(r, path, p.Call.Name, geminiToolNames())
		checkObject(r, path+".args", p.Call.Args)
	case p.Response != nil:
		if role != "user" {
			r.addf(path, "a function response in a model content")
		}
		ids.result(r, path, p.Response.ID)
		checkTool(r, path, p.Response.Name, geminiToolNames())
		checkObject(r, path+".response", p.Response.Response)
		return true
	case p.Text != nil && p.Signature != "" && role == "model":
		// A thought signature may stand on an empty text.
	case p.Text != nil:
		checkText(r, path, *p.Text)
	case raw.String() == "{}":
		r.addf(path, "an empty part")
	}
	return false
}
