package benchmark

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
	"tenfold/transcript/internal/engine"
	"tenfold/transcript/internal/intake"
	"tenfold/transcript/internal/walk"
)

func LocomoHandler() engine.Handler {
	return engine.Handler{Format: intake.LoCoMo, About: "LoCoMo benchmark conversations", Recognise: recogniseLoCoMo, Import: importLoCoMo}
}

func recogniseLoCoMo(h intake.Head) intake.Confidence {
	s := h.JSON
	if len(s.Objects) == 0 {
		return intake.No
	}
	o := s.Objects[0]
	if o.Inner["conversation"].Has("speaker_a") || o.Inner["conversation"].Has("session_1") {
		return intake.Certain
	}
	for _, qa := range o.Items["qa"] {
		if qa.Has("question", "evidence", "category") {
			return intake.Certain // the head ends before the conversation
		}
	}
	return intake.No
}

// importLoCoMo reads the conversations of the LoCoMo benchmark: two people
// who talk over many sessions.
func importLoCoMo(ctx context.Context, src intake.Source, sink intake.Sink) error {
	return intake.WithDocument(ctx, src, intake.LoCoMo, func(doc intake.Document) error {
		var top engine.Finder
		m, samples, err := top.Document(doc)
		if err != nil {
			return err
		}
		if m.Any() {
			samples = []walk.Span{top.Root()}
		}
		var names intake.Ids
		found := false
		for i, at := range samples {
			l := &locomo{ctx: ctx}
			l.sample.Reset(at.Of(top.Raw))
			m = l.sample.Object(l.sample.Root())
			talk := m.Get("conversation")
			if !l.sample.Is(talk, '{') {
				continue
			}
			found = true
			id := cmp.Or(m.Peek("sample_id"), strconv.Itoa(i))
			l.out = engine.Emitter{Sink: sink, Conv: intake.Conversation{
				ID:     intake.ConversationID(names.Unique("locomo-" + id + "-" + intake.Digest(talk.Of(l.sample.Raw))[:8])),
				Format: intake.LoCoMo,
			}}
			if err := l.read(talk); err != nil {
				return err
			}
		}
		if !found {
			return doc.Problem(0, errors.New("there is no conversation in it"), "a LoCoMo sample has its sessions in \"conversation\"")
		}
		return nil
	})
}

// locomo is the import of one sample.
type locomo struct {
	ctx          context.Context
	out          engine.Emitter
	sample, find engine.Finder
	first        string // the speaker who is the user
}

type locomoSession struct {
	number int
	items  []walk.Span
	time   time.Time
}

// read takes a sample's sessions in the order of their numbers, each as a turn.
func (l *locomo) read(talk walk.Span) error {
	f := &l.sample
	m := f.Object(talk)
	l.first = m.Peek("speaker_a")
	if b := m.Peek("speaker_b"); l.first != "" && b != "" {
		l.out.Conv.Title = engine.FirstLine(l.first + " and " + b)
	}
	var sessions []locomoSession
	for _, one := range m.List {
		name := string(one.Name[1 : len(one.Name)-1])
		digits, ok := strings.CutPrefix(name, "session_")
		number, err := strconv.Atoi(digits)
		if !ok || err != nil || !f.Is(one.At, '[') {
			continue
		}
		s := locomoSession{number: number, items: f.List(one.At)}
		s.time, _ = time.Parse("3:04 pm on 2 January, 2006", f.Peek(m.Get(name+"_date_time")))
		sessions = append(sessions, s)
	}
	slices.SortStableFunc(sessions, func(a, b locomoSession) int { return a.number - b.number })
	var all []walk.Span
	for _, s := range sessions {
		l.out.At(s.time)
		opened := false
		err := f.Each(l.ctx, s.items, &l.find, func(m engine.Members) error { return l.utterance(m, &opened) })
		if err != nil {
			return err
		}
		all = append(all, s.items...)
	}
	l.out.KeepRest("sample", "locomo.sample", f, all)
	return l.out.End()
}

// utterance takes what one speaker said. An assistant shows no images: their
// captions stand in the text.
func (l *locomo) utterance(m engine.Members, opened *bool) error {
	f := &l.find
	key := m.Peek("dia_id")
	if key = strings.ReplaceAll(key, ":", "-"); intake.PlainID(key) {
		key = intake.Numbered(key, f.Raw)
	} else {
		key = "message:" + intake.Digest(f.Raw)
	}
	id := l.out.Ids.Unique(key)
	if !*opened {
		*opened = true
		l.out.Turn(id)
	}
	speaker := m.Peek("speaker")
	if speaker == "" || !f.Is(m.Get("text"), '"') {
		return l.out.KeepOdd("utterance", id, "locomo.untyped", f.Raw)
	}
	l.first = cmp.Or(l.first, speaker)
	text := f.Text(m.Get("text"))
	caption := m.Peek("blip_caption")
	if speaker != l.first {
		if caption != "" {
			text += "\n[image: " + caption + "]"
		}
		said := f.Record(id, tenfold.AssistantMessage{Text: text})
		said[0].MessageID = id // each is a step of its own
		return l.out.All(said)
	}
	u := tenfold.UserMessage{Parts: tenfold.Text(text)}
	for _, at := range m.Items("img_url") {
		if f.Is(at, '"') {
			u.Parts = append(u.Parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: caption, URI: f.Text(at)}})
		}
	}
	return l.out.All(f.Record(id, u))
}
