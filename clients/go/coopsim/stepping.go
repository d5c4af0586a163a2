package coopsim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

const (
	stepTarget    = "/sim/step"
	layoutCommand = 10
	stepCommand   = 11
	claimCommand  = 13
	release       = 15
	partCommand   = 18
	page          = 1000
	mostRobots    = 2000 // of one message: shorter than 1 MiB with names of 128 letters
	mostValues    = 65536
)

type place struct{ robot, module string }

// span says where a value, or a run of values, of a module stands.
type span struct {
	name       string
	first, end int
}

// rows says where each value of some robots stands in a message.
type rows struct {
	length int
	starts []int // of the row of each robot
	spans  map[place][]span
}

// start is where the row of a robot begins; behind the last one is the end.
func (r *rows) start(robot int) int {
	if robot < len(r.starts) {
		return r.starts[robot]
	}
	return r.length
}

func (r *rows) add(robot string, length int, columns []column) {
	r.starts = append(r.starts, r.length)
	for _, c := range columns {
		where, first := place{robot, c.module}, r.length+c.start
		r.spans[where] = append(r.spans[where], span{c.name, first, first + c.count})
	}
	r.length += length
}

func (r *rows) span(robot, module, name string) (span, error) {
	return r.named(r.spans[place{robot, module}], robot, module, name)
}

// named picks a span of a module.
func (r *rows) named(spans []span, robot, module, name string) (span, error) {
	for _, s := range spans {
		if s.name == name && s.first >= 0 && s.end >= s.first && s.end <= r.length {
			return s, nil
		}
	}
	return span{}, &Malformed{fmt.Sprintf("%s has no %s.%s in a step", robot, module, name)}
}

// column is a row of LAYOUT: module, name, unit, first value and number of values.
type column struct {
	module, name, unit string
	start, count       int
}

func (c *column) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[]any{&c.module, &c.name, &c.unit, &c.start, &c.count})
}

type layoutPage struct {
	Generation int64
	Robots     [][2]string
	Types      map[string]struct {
		Takes, Gives []column
		TakesLength  int `json:"takes_length"`
		GivesLength  int `json:"gives_length"`
	}
}

// RawReadings is what a step gave.
type RawReadings struct {
	Tick    uint64
	Data    []float64
	Stopped []any // robots without a command for too long
	gives   *rows
}

// Numbers returns a value, or a run of values.
func (s RawReadings) Numbers(robot, module, name string) ([]float64, error) {
	where, err := s.gives.span(robot, module, name)
	return s.Data[where.first:where.end:where.end], err
}

// Of reads one module of a robot, named or else the usual one.
func (s RawReadings) Of(robot, usual string, module []string) *RobotReader {
	name := named(usual, module)
	return &RobotReader{s, robot, name, s.gives.spans[place{robot, name}], nil}
}

// RobotReader reads values of one module of a robot, and keeps the first thing that is wrong.
type RobotReader struct {
	RawReadings
	robot, module string
	spans         []span
	Err           error
}

// Numbers returns a run of values.
func (r *RobotReader) Numbers(name string) []float64 {
	where, err := r.gives.named(r.spans, r.robot, r.module, name)
	if r.Err == nil {
		r.Err = err
	}
	return r.Data[where.first:where.end:where.end]
}

// Number returns a value.
func (r *RobotReader) Number(name string) float64 {
	if some := r.Numbers(name); len(some) > 0 {
		return some[0]
	}
	return 0
}

// RawStepper steps robots; the last command of one holds until there is another.
type RawStepper struct {
	client       *Client
	robots       []string
	generation   int64
	takes, gives *rows
	commands     []float64
	groups       []group
}

// group is robots that fit one message together.
type group struct {
	first, end int
	names      []string
	params     []any // of a step, or a part of one
}

// NewRawStepper claims robots, or all, and learns what a step of them takes and gives.
func NewRawStepper(ctx context.Context, client *Client, robots ...string) (RawStepper, error) {
	s := RawStepper{client: client, robots: robots}
	err := s.learn(ctx)
	if err == nil {
		for _, g := range s.groups {
			if _, err = client.AskContext(ctx, stepTarget, claimCommand, Flat(g.names), nil); err != nil {
				break
			}
		}
	}
	return s, err
}

// learn asks what a step takes and gives; commands begin with 0.
func (s *RawStepper) learn(ctx context.Context) error {
	var names []string
	s.takes, s.gives = &rows{spans: map[place][]span{}}, &rows{spans: map[place][]span{}}
	kinds := map[string]func(){}
	for first, count := 0, page; count == page; first += page {
		reply, err := s.client.AskContext(ctx, stepTarget, layoutCommand, []any{first, page}, nil)
		if err != nil {
			return err
		}
		var told layoutPage
		r := Reader{Reply: reply}
		if err := json.Unmarshal([]byte(r.Text(0)), &told); err != nil {
			return &Malformed{"expected a layout as JSON: " + err.Error()}
		}
		for _, robot := range told.Robots {
			kind := told.Types[robot[1]]
			names = append(names, robot[0])
			kinds[robot[0]] = func() {
				s.takes.add(robot[0], kind.TakesLength, kind.Takes)
				s.gives.add(robot[0], kind.GivesLength, kind.Gives)
			}
		}
		count, s.generation = len(told.Robots), told.Generation
	}
	if len(s.robots) == 0 {
		s.robots = names
	}
	for _, robot := range s.robots {
		add, ok := kinds[robot]
		if !ok {
			return &Malformed{fmt.Sprintf("no robot %s is in the layout of a step", robot)}
		}
		add()
	}
	s.commands = make([]float64, s.takes.length)
	s.group()
	return nil
}

// group puts robots together that fit one message.
func (s *RawStepper) group() {
	s.groups = nil
	first := 0
	for last := 0; last <= len(s.robots); last++ {
		size := max(s.takes.start(last+1)-s.takes.start(first), s.gives.start(last+1)-s.gives.start(first))
		if last < len(s.robots) && last-first < mostRobots && size <= mostValues {
			continue
		}
		names := s.robots[first:last]
		s.groups = append(s.groups, group{first, last, names, Flat(s.generation, names)})
		first = last
	}
}

// Of sets values of one module of a robot, named or else the usual one.
func (s *RawStepper) Of(robot, usual string, module []string) *RobotWriter {
	name := named(usual, module)
	return &RobotWriter{s, robot, name, s.takes.spans[place{robot, name}], nil}
}

// RobotWriter sets values of the next command of one module of a robot, and keeps the first thing that is wrong.
type RobotWriter struct {
	stepper       *RawStepper
	robot, module string
	spans         []span
	Err           error
}

// Put sets a value, or a run of values.
func (w *RobotWriter) Put(name string, values ...float64) {
	where, err := w.stepper.takes.named(w.spans, w.robot, w.module, name)
	if err == nil {
		err = w.stepper.put(where, w.robot, w.module, values)
	}
	if w.Err == nil {
		w.Err = err
	}
}

// Put sets a value, or a run of values, of the next command of a robot.
func (s *RawStepper) Put(robot, module, name string, values ...float64) error {
	where, err := s.takes.span(robot, module, name)
	if err != nil {
		return err
	}
	return s.put(where, robot, module, values)
}

func (s *RawStepper) put(where span, robot, module string, values []float64) error {
	if where.end-where.first != len(values) {
		return fmt.Errorf("%s.%s of %s takes %d values, got %d", module, where.name, robot, where.end-where.first, len(values))
	}
	copy(s.commands[where.first:], values)
	return nil
}

// RawStep does a step; when the scene has changed, robots begin anew with commands of 0.
func (s *RawStepper) RawStep(ctx context.Context) (RawReadings, error) {
	reply, err := s.ask(ctx)
	var refused *Refused
	if errors.As(err, &refused) && refused.Number == CodeStaleLayout {
		if err = s.learn(ctx); err == nil {
			reply, err = s.ask(ctx)
		}
	}
	if err == nil && (len(reply.Data) != s.gives.length || len(reply.Params) == 0) {
		err = &Malformed{fmt.Sprintf("%d readings instead of %d", len(reply.Data), s.gives.length)}
	}
	if err != nil {
		return RawReadings{}, err
	}
	return RawReadings{reply.Tick, reply.Data, reply.Params[1:], s.gives}, nil
}

// ask steps robots that fit no message together in parts, by one tick for all.
func (s *RawStepper) ask(ctx context.Context) (Message, error) {
	if len(s.groups) == 1 {
		return s.client.AskContext(ctx, stepTarget, stepCommand, s.groups[0].params, s.commands)
	}
	requests := make([]Message, 0, len(s.groups))
	for _, g := range s.groups {
		commands := s.commands[s.takes.start(g.first):s.takes.start(g.end)]
		requests = append(requests, Message{Target: stepTarget, Command: partCommand, Params: g.params, Data: commands})
	}
	requests[len(requests)-1].Command = stepCommand
	replies, err := s.client.AskAll(ctx, requests)
	if err != nil {
		return Message{}, err
	}
	joined := Message{Tick: replies[0].Tick, Params: []any{s.generation}}
	for _, reply := range replies {
		joined.Data = append(joined.Data, reply.Data...)
		joined.Params = append(joined.Params, reply.Params[min(1, len(reply.Params)):]...)
	}
	return joined, nil
}

// Close gives the robots back.
func (s *RawStepper) Close() error {
	var problem error
	for _, g := range s.groups {
		if _, err := s.client.Ask(stepTarget, release, Flat(g.names), nil); err != nil {
			problem = errors.Join(problem, err)
		}
	}
	return problem
}

func named(usual string, module []string) string {
	if len(module) > 0 {
		return module[0]
	}
	return usual
}
