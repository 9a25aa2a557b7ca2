package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tenfold"
	"tenfold/permission"
	"tenfold/problem"
	"tenfold/provider"
	"tenfold/session"
	"tenfold/toolbox"
)

// Options say how an Agent works. Model is required.
type Options struct {
	Model provider.Model
	// Tools are what the model may call, beside the agent's own: plan, task,
	// compact, recall. One of the name of another takes its place.
	Tools []toolbox.Tool
	// NoTools forbids the model to call any. It is told of them all the same, so
	// that the beginning of its requests stays what it was.
	NoTools bool
	// Alias says what a call means whose tool is not among Tools, such as one of
	// the agent that a conversation was taken over from. The log keeps the call
	// as the model wrote it. An error is for the model.
	Alias func(tenfold.ToolCall) (tenfold.ToolCall, error)
	// System is the system prompt; empty is the agent's own.
	System string
	// Context, if set, gives what the model is told at the beginning of a turn of
	// what may change between turns, such as the date: it is a message of the
	// log (purpose context), and only where it differs from the last one.
	Context func() string
	// Judge decides about calls; nil denies all but those that read.
	Judge permission.Judge
	// Approver is asked where the Judge says so; nil is nobody: denied.
	Approver Approver
	// Live says how the conversation is compacted.
	Live   session.Live
	Limits Limits
	// Retry says how the model is asked again after an error that may pass.
	Retry provider.Policy
	// TrimOver is how many tokens a result may have: a longer one is stored whole
	// and shown shortened (live V3). Zero is 25,000, less is no limit.
	TrimOver int
	// Observe, if set, is given each event before it is yielded, text and
	// reasoning aside; an error of it ends the run. It writes the transcript
	// file.
	Observe func(Event) error
	// Prices are what money is counted by; nil means those that come with the
	// program.
	Prices provider.Prices
}

// Limits bound a run; zero is no limit.
type Limits struct {
	// Steps are responses of the model, those of sub-agents included.
	Steps int
	// Tokens are input and output of all of them and of summaries, Dollars what
	// they cost. Where a price is not known the run stops after the response.
	Tokens  int
	Dollars float64
	Time    time.Duration
	// Call is how long one call may take, a sub-agent aside; zero is 10 minutes.
	Call time.Duration
}

// The defaults.
const (
	defaultCallTime = 10 * time.Minute
	defaultTrimOver = 25_000
)

// An Agent works on one conversation. Its methods may be called from any
// goroutine, but one Run or Compact goes on at a time: another one is refused
// with [ErrBusy].
type Agent struct {
	options  Options
	tools    map[string]toolbox.Tool
	declared []tenfold.ToolDefinition
	counter  tenfold.Counter // the log's

	busy sync.Mutex // held while something runs

	mu      sync.Mutex // of what follows: a session is for one goroutine at a time
	session *session.Session
	control *session.Controller
	past    tracker
	own     []int64                        // entries that it wrote and that nobody was told of yet, in order
	steps   int                            // how many responses the run had
	views   map[string]*tenfold.Projection // of sub-agents at work
	ahead   chan *session.Prepared         // the plan of a compaction that is near; nil for none
}

// ErrBusy says that the agent is at work already.
var ErrBusy = errors.New("the agent is at work")

// New gives an agent that works on the conversation. The session is its own from
// now on. It writes nothing.
func New(s *session.Session, o Options) (*Agent, error) {
	if o.Model == nil {
		return nil, &problem.Error{Code: "no_model", Op: "agent", Problem: "no model", Hint: "set model.name in the configuration, or pass --model"}
	}
	if s == nil {
		return nil, errors.New("agent: no session: open or create one")
	}
	if i := slices.Index(o.Tools, nil); i >= 0 {
		return nil, fmt.Errorf("agent: tool %d of %d is nil: leave it out, or give one", i+1, len(o.Tools))
	}
	o.System = cmp.Or(o.System, DefaultSystem)
	o.Limits.Call = cmp.Or(max(o.Limits.Call, 0), defaultCallTime)
	o.TrimOver = cmp.Or(o.TrimOver, defaultTrimOver)
	if o.Prices == nil {
		o.Prices = provider.Shipped()
	}
	o.Live.Request.Options.Recall = true // the tool recall is always there (A9)
	a := &Agent{options: o, session: s, counter: s.Log().Counter(), control: s.Control(o.Live), views: map[string]*tenfold.Projection{}, past: newTracker(o.Prices)}
	a.tools = map[string]toolbox.Tool{}
	for _, t := range append([]toolbox.Tool{planTool, taskTool, compactTool, recallTool}, o.Tools...) {
		d := t.Definition()
		a.tools[d.Name] = t
		if i := slices.IndexFunc(a.declared, func(other tenfold.ToolDefinition) bool { return other.Name == d.Name }); i >= 0 {
			a.declared[i] = d
			continue
		}
		a.declared = append(a.declared, d)
	}
	a.past.read(s.Log())
	return a, nil
}

// Session is the agent's conversation. It is not to be used while the agent is at
// work: [Agent.Do] waits for its turn.
func (a *Agent) Session() *session.Session { return a.session }

// Do calls f with the agent's session while nothing else uses it. f is not to
// keep it, nor to call the agent.
func (a *Agent) Do(f func(*session.Session) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := f(a.session)
	a.past.read(a.session.Log())
	return err
}

// Gauge says how full the context is.
func (a *Agent) Gauge() Gauge {
	a.mu.Lock()
	defer a.mu.Unlock()
	tokens, source := a.control.Used()
	g := Gauge{Tokens: tokens, Window: a.control.Window(), Method: string(source), Spent: a.past.spent, Compactions: len(a.past.commands)}
	if source == "provider" {
		g.Method = Reported
	}
	if dollars := a.past.dollars; a.past.unpriced == 0 {
		g.Dollars = &dollars
	}
	return g
}

// State says where the loop stands: what the next run without a message would do.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.past.at("").state
}

// Undo takes back the newest compaction, and tells what that changes.
func (a *Agent) Undo(ctx context.Context) (changed []tenfold.Overlay, err error) {
	err = a.whileIdle(func(s *session.Session) error {
		changed, err = s.Undo(ctx)
		return err
	})
	return changed, err
}

// Redo gives back the compaction that was undone last.
func (a *Agent) Redo(ctx context.Context) (changed []tenfold.Overlay, err error) {
	err = a.whileIdle(func(s *session.Session) error {
		changed, err = s.Redo(ctx)
		return err
	})
	return changed, err
}

// Switch has another model answer from the next request on. Live is how the
// conversation is compacted for it: its window above all. Where the view is over
// what the new one holds, the next run compacts first.
func (a *Agent) Switch(ctx context.Context, model provider.Model, live session.Live) error {
	return a.whileIdle(func(s *session.Session) error {
		live.Request.Options.Recall = true
		a.options.Model, a.options.Live = model, live
		a.control = s.Control(live)
		if err := a.configure(ctx); err != nil {
			return fmt.Errorf("switch to %s: %w", model.Name(), err)
		}
		return nil
	})
}

// whileIdle is Do where the agent is not at work.
func (a *Agent) whileIdle(f func(*session.Session) error) error {
	if !a.busy.TryLock() {
		return ErrBusy
	}
	defer a.busy.Unlock()
	return a.Do(f)
}

// configure appends what the model, the system prompt and the tools are now, where
// the log says otherwise. It is called with the lock held.
func (a *Agent) configure(ctx context.Context) error {
	if err := a.session.Refresh(ctx); err != nil {
		return err
	}
	a.past.read(a.session.Log())
	want, now := tenfold.ConfigDelta{}, a.past.config
	if name := a.options.Model.Name(); now.Model != name {
		want.Model = name
	}
	if now.System != a.options.System {
		want.System = &a.options.System
	}
	if !slices.Equal(now.Tools, a.declared) {
		want.Tools = &a.declared
	}
	if want == (tenfold.ConfigDelta{}) {
		return nil
	}
	return a.storeOf(ctx, func() []tenfold.Entry { return []tenfold.Entry{{Payload: want}} })
}

// storeTime is how long an append may take.
const storeTime = 30 * time.Second

// storeOf stores what the log as it stands asks for, also after ctx ended: nothing that
// came is lost. Where another program came first, that is asked again. It is called with
// the lock held.
func (a *Agent) storeOf(ctx context.Context, entries func() []tenfold.Entry) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer stop()
	return a.session.Rewrite(ctx, func() error {
		log := a.session.Log()
		a.past.read(log)
		all := entries()
		if len(all) == 0 {
			return nil
		}
		if err := a.session.Append(ctx, all...); err != nil {
			return err
		}
		for i, e := range all {
			a.own = append(a.own, log.Version()-int64(len(all)-1-i))
			if e.Payload.Kind() == tenfold.KindUsage {
				a.steps++
			}
		}
		return nil
	})
}
