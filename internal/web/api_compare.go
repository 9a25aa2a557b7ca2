package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"tenfold/internal/web/look"
	"tenfold/internal/web/shape"
	"tenfold/session"
)

func (s *Server) declareCompare() {
	declare(s, operation(http.MethodGet, "comparison", "/conversations/{id}/compactions/{compaction}", "Compare the views before and after a compaction"),
		func(ctx context.Context, in *ofComparison) (look.Comparison, error) {
			c, err := s.comparison(ctx, in.ID, in.Compaction)
			if err != nil {
				return look.Comparison{}, err
			}
			return c.Out, nil
		})
	declare(s, operation(http.MethodGet, "comparison-rows", "/conversations/{id}/compactions/{compaction}/rows", "Read rows of a comparison"),
		func(ctx context.Context, in *comparedWindow) (out look.ComparedRows, err error) {
			c, err := s.comparison(ctx, in.ID, in.Compaction)
			if err != nil {
				return out, err
			}
			err = s.with(ctx, in.ID, func(open *session.Session) error {
				out = c.Window(in.From, in.Limit, in.Chars, open.Projection().Pinned)
				return nil
			})
			return out, err
		})
}

// ofComparison names a compaction of a conversation.
type ofComparison struct {
	InConversation
	Compaction string `path:"compaction" minLength:"1" maxLength:"500" doc:"id of a compaction, or all to compare the raw conversation with what a model sees now"`
}

// comparedWindow says which rows are wanted.
type comparedWindow struct {
	InConversation
	Compaction string `path:"compaction" minLength:"1" maxLength:"500" doc:"id of a compaction, or all to compare the raw conversation with what a model sees now"`
	From       int    `query:"from" minimum:"0" default:"0" doc:"index of the first row"`
	Limit      int    `query:"limit" minimum:"1" maximum:"200" default:"100"`
	Chars      int    `query:"chars" minimum:"1" maximum:"100000" default:"300" doc:"characters of each text"`
}

// mostCompared is how many comparisons are kept: each holds a second log, which
// shares its texts with the conversation's.
const mostCompared = 4

// comparisons are those made last.
type comparisons struct {
	mu   sync.Mutex
	keys []string // the one used last at the end
	made map[string]*look.Compared
}

// comparison makes one, or takes the one that was made for the window before. One
// compaction's is the same for ever; that of the whole is of a version.
func (s *Server) comparison(ctx context.Context, id, compaction string) (c *look.Compared, err error) {
	err = s.with(ctx, id, func(open *session.Session) error {
		view := open.Projection()
		key := open.ID() + "\x00" + compaction
		if compaction == look.All {
			key += "\x00" + strconv.FormatInt(view.Version(), 10)
		}
		if c = s.compared.get(key); c != nil {
			return nil
		}
		ok := compaction == look.All
		if ok {
			c = look.CompareAll(view.Snapshot())
		} else if c, ok = look.CompareOne(view, compaction); !ok {
			return shape.NewProblem(http.StatusNotFound, "not_found", "no compaction "+strconv.Quote(compaction), "the conversation lists its compactions")
		}
		s.compared.add(key, c)
		return nil
	})
	return c, err
}

func (k *comparisons) get(key string) *look.Compared {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.made[key]
	if c != nil {
		k.markUsed(key)
	}
	return c
}

func (k *comparisons) add(key string, c *look.Compared) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made == nil {
		k.made = map[string]*look.Compared{}
	}
	k.made[key] = c
	k.markUsed(key)
	if len(k.keys) > mostCompared {
		delete(k.made, k.keys[0])
		k.keys = k.keys[1:]
	}
}

// markUsed moves a key to the end.
func (k *comparisons) markUsed(key string) {
	k.keys = append(slices.DeleteFunc(k.keys, func(other string) bool { return other == key }), key)
}
