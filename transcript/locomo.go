package transcript

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenfold"
)

// locomoImporter reads the conversations of the LoCoMo benchmark: two people
// who talk over many sessions.
type locomoImporter struct{}

func locomoHandler() handler {
	return handler{format: LoCoMo, about: "LoCoMo benchmark conversations", importer: locomoImporter{}}
}

// Recognise implements [Importer].
func (locomoImporter) Recognise(h Head) Confidence {
	s := h.json
	if len(s.objects) == 0 {
		return No
	}
	o := s.objects[0]
	if o.inner["conversation"].has("speaker_a") || o.inner["conversation"].has("session_1") {
		return Certain
	}
	for _, qa := range o.items["qa"] {
		if qa.has("question", "evidence", "category") {
			return Certain // the head ends before the conversation
		}
	}
	return No
}

// Import implements [Importer].
func (locomoImporter) Import(ctx context.Context, src Source, sink Sink) error {
	return withDocument(ctx, src, LoCoMo, func(doc document) error { return importLoCoMo(ctx, src, doc, sink) })
}

func importLoCoMo(ctx context.Context, src Source, doc document, sink Sink) error {
	var top finder
	top.reset(bytes.TrimSpace(doc.raw))
	samples := []span{top.root()}
	if top.is(top.root(), '[') {
		if samples = top.list(top.root()); top.scan.err == nil {
			top.scan.token()
		}
		top.scan.end()
	} else if top.object(top.root()) != nil && top.scan.err == nil {
		top.scan.end()
	}
	if top.scan.err != nil {
		return doc.broken(top.scan.err)
	}
	var names ids
	found := false
	for i, at := range samples {
		l := &locomo{ctx: ctx}
		l.sample.reset(at.of(top.raw))
		m := l.sample.object(l.sample.root())
		talk := m.get("conversation")
		if !l.sample.is(talk, '{') {
			continue
		}
		found = true
		id := l.sample.peek(m.get("sample_id"))
		if id == "" {
			id = strconv.Itoa(i)
		}
		l.out = emitter{sink: sink, conv: Conversation{
			ID:     conversationID(names.unique("locomo-" + id + "-" + digest(talk.of(l.sample.raw))[:8])),
			Format: LoCoMo,
		}}
		if err := l.read(talk); err != nil {
			return err
		}
	}
	if !found {
		return doc.problem(src, LoCoMo, 0, errors.New("there is no conversation in it"), "a LoCoMo sample has its sessions in \"conversation\"")
	}
	return nil
}

// locomo is the import of one sample.
type locomo struct {
	ctx          context.Context
	out          emitter
	sample, find finder
	buf          []byte
	first        string // the speaker who is the user
}

type locomoSession struct {
	number int
	items  []span
	time   time.Time
}

// read takes a sample's sessions in the order of their numbers, each as a turn.
func (l *locomo) read(talk span) error {
	f := &l.sample
	m := f.object(talk)
	l.first = f.peek(m.get("speaker_a"))
	if b := f.peek(m.get("speaker_b")); l.first != "" && b != "" {
		l.out.conv.Title = firstLine(l.first + " and " + b)
	}
	var sessions []locomoSession
	for _, one := range m {
		name := string(one.name[1 : len(one.name)-1])
		digits, ok := strings.CutPrefix(name, "session_")
		number, err := strconv.Atoi(digits)
		if !ok || err != nil || !f.is(one.at, '[') {
			continue
		}
		s := locomoSession{number: number, items: f.list(one.at)}
		s.time, _ = time.Parse("3:04 pm on 2 January, 2006", f.peek(m.get(name+"_date_time")))
		sessions = append(sessions, s)
	}
	slices.SortStableFunc(sessions, func(a, b locomoSession) int { return a.number - b.number })
	var all []span
	for _, s := range sessions {
		l.out.at(s.time)
		opened := false
		for _, at := range s.items {
			if err := l.ctx.Err(); err != nil {
				return err
			}
			l.buf = appendCompact(l.buf[:0], at.of(f.raw))
			if err := l.utterance(&opened); err != nil {
				return err
			}
		}
		all = append(all, s.items...)
	}
	frame := f.frame(all)
	if err := l.out.keep(l.out.ids.unique("sample:"+digest(frame)), "locomo.sample", frame); err != nil {
		return err
	}
	return l.out.end()
}

// utterance takes what one speaker said. An assistant shows no images: their
// captions stand in the text.
func (l *locomo) utterance(opened *bool) error {
	f := &l.find
	f.reset(l.buf)
	m := f.object(f.root())
	key := f.peek(m.get("dia_id"))
	if key = strings.ReplaceAll(key, ":", "-"); plainID(key) {
		key = numbered(key, l.buf)
	} else {
		key = "message:" + digest(l.buf)
	}
	id := l.out.ids.unique(key)
	if !*opened {
		*opened = true
		if err := l.out.turn(id); err != nil {
			return err
		}
	}
	speaker := f.peek(m.get("speaker"))
	if speaker == "" || !f.is(m.get("text"), '"') {
		l.out.warn.add(0, "utterance could not be understood and was kept as it is", "utterances could not be understood and were kept as they are")
		return l.out.keep(id, "locomo.untyped", l.buf)
	}
	if l.first == "" {
		l.first = speaker
	}
	text := f.text(m.get("text"))
	caption := f.peek(m.get("blip_caption"))
	if speaker != l.first {
		if caption != "" {
			text += "\n[image: " + caption + "]"
		}
		return l.out.all(f.record(id, tenfold.AssistantMessage{Text: text}))
	}
	u := tenfold.UserMessage{Parts: tenfold.Text(text)}
	for _, at := range f.list(m.get("img_url")) {
		if f.is(at, '"') {
			u.Parts = append(u.Parts, tenfold.Part{File: &tenfold.File{Type: tenfold.PartImage, Name: caption, URI: f.text(at)}})
		}
	}
	return l.out.all(f.record(id, u))
}
