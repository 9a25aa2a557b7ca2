package opencode

import (
	"github.com/go-json-experiment/json/jsontext"
)

// openCodeVersion is the version of opencode whose form is written.
const openCodeVersion = "1.14.30"

// What opencode's import loads, in its own form.
type (
	openCodeIDs struct {
		ID        string `json:"id"`
		SessionID string `json:"sessionID,omitzero"`
		MessageID string `json:"messageID,omitzero"`
	}
	openCodeSpan struct {
		Created   int64 `json:"created,omitzero"`
		Updated   int64 `json:"updated,omitzero"`
		Completed int64 `json:"completed,omitzero"`
		Start     int64 `json:"start,omitzero"`
		End       int64 `json:"end,omitzero"`
	}
	openCodeModel struct {
		ProviderID string `json:"providerID"`
		ModelID    string `json:"modelID"`
	}
	openCodeCache struct {
		Read  int `json:"read"`
		Write int `json:"write"`
	}
	openCodeCounts struct {
		Input     int           `json:"input"`
		Output    int           `json:"output"`
		Reasoning int           `json:"reasoning"`
		Cache     openCodeCache `json:"cache"`
	}
	openCodePath struct {
		CWD  string `json:"cwd"`
		Root string `json:"root"`
	}
	openCodeSessionJSON struct {
		ID        string       `json:"id"`
		Slug      string       `json:"slug"`
		ProjectID string       `json:"projectID"`
		Directory string       `json:"directory"`
		Title     string       `json:"title"`
		Version   string       `json:"version"`
		Time      openCodeSpan `json:"time"`
	}
	openCodeUserJSON struct {
		Role   string        `json:"role"`
		Time   openCodeSpan  `json:"time"`
		Agent  string        `json:"agent"`
		Model  openCodeModel `json:"model"`
		System string        `json:"system,omitzero"`
		openCodeIDs
	}
	openCodeAssistantJSON struct {
		ParentID string         `json:"parentID"`
		Role     string         `json:"role"`
		Mode     string         `json:"mode"`
		Agent    string         `json:"agent"`
		Path     openCodePath   `json:"path"`
		Cost     float64        `json:"cost"`
		Tokens   openCodeCounts `json:"tokens"`
		openCodeModel
		Time   openCodeSpan `json:"time"`
		Finish string       `json:"finish"`
		openCodeIDs
	}
	openCodeStateJSON struct {
		Status      string             `json:"status"`
		Input       jsontext.Value     `json:"input"`
		Raw         *string            `json:"raw,omitzero"`
		Output      *string            `json:"output,omitzero"`
		Error       *string            `json:"error,omitzero"`
		Title       *string            `json:"title,omitzero"`
		Metadata    jsontext.Value     `json:"metadata,omitzero"`
		Time        *openCodeSpan      `json:"time,omitzero"`
		Attachments []openCodePartJSON `json:"attachments,omitzero"`
	}
	openCodePartJSON struct {
		Type      string             `json:"type"`
		Text      *string            `json:"text,omitzero"`
		Synthetic bool               `json:"synthetic,omitzero"`
		Tool      string             `json:"tool,omitzero"`
		CallID    string             `json:"callID,omitzero"`
		State     *openCodeStateJSON `json:"state,omitzero"`
		Mime      string             `json:"mime,omitzero"`
		Filename  string             `json:"filename,omitzero"`
		URL       string             `json:"url,omitzero"`
		Reason    string             `json:"reason,omitzero"`
		Tokens    *openCodeCounts    `json:"tokens,omitzero"`
		Cost      *float64           `json:"cost,omitzero"`
		Time      *openCodeSpan      `json:"time,omitzero"`
		Metadata  jsontext.Value     `json:"metadata,omitzero"`
		openCodeIDs
	}
	openCodeMessageJSON struct {
		Info  any                `json:"info"`
		Parts []openCodePartJSON `json:"parts"`
	}
)
