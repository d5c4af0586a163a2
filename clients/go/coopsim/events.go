package coopsim

import "fmt"

const (
	paramsOfEvent = 5
	firstName     = 8 // of a state, among its params
	poseValues    = 7
)

// Event is what a program, or the simulation, published.
type Event struct {
	Number              int64 // of this connection; one that is left out is an event that was lost
	Topic, Source, Text string
	Tick                int64
	Data                []float64
}

// EventsOf returns the events of a message that State brought from /sim/events.
func EventsOf(m Message) ([]Event, error) {
	r := Reader{Reply: m}
	number, behind := r.Whole(0), 0
	var events []Event
	for place := 1; place < len(m.Params) && r.Err == nil; place += paramsOfEvent {
		event := Event{Number: number, Topic: r.Text(place), Source: r.Text(place + 1), Text: r.Text(place + 2), Tick: r.Whole(place + 3)}
		event.Data = r.taken(&behind, r.Whole(place+4))
		events = append(events, event)
		number++
	}
	return events, r.Err
}

// taken returns so many of the data behind a place, and moves the place behind them.
func (r *Reader) taken(behind *int, count int64) []float64 {
	if count < 0 || count > int64(len(r.Reply.Data)-*behind) {
		r.fail(&Malformed{fmt.Sprintf("%d values behind %d of %d", count, *behind, len(r.Reply.Data))})
		return nil
	}
	first := *behind
	*behind += int(count)
	return r.Reply.Data[first:*behind:*behind]
}

// SimulationState is a state of the stream.
type SimulationState struct {
	Topic                     string
	Tick                      uint64
	Time                      float64
	Run, Generation, Revision int64
	Mode                      string
	IsPaused, HasEnded        bool
	Names                     []string    // of bodies
	Poses                     [][]float64 // x y z and a quaternion w x y z of each
	Readings                  map[string][]float64
}

// StateOf returns the state that a message tells which State brought.
func StateOf(m Message) (SimulationState, error) {
	r := Reader{Reply: m}
	bodies, robots := r.Whole(6), r.Whole(7)
	rest := int64(len(m.Params) - firstName)
	if bodies < 0 || robots < 0 || bodies > rest || robots > rest || bodies+2*robots != rest {
		r.fail(&Malformed{fmt.Sprintf("a state with %d params for %d bodies and %d robots", len(m.Params), bodies, robots)})
	}
	state := SimulationState{
		Topic: m.Target, Tick: m.Tick, Time: r.Number(0), Run: r.Whole(0), Generation: r.Whole(1), Revision: r.Whole(2),
		Mode: r.Text(3), IsPaused: r.Whole(4) == 1, HasEnded: r.Whole(5) == 1, Readings: map[string][]float64{},
	}
	behind := 1
	for body := int64(0); body < bodies && r.Err == nil; body++ {
		state.Names = append(state.Names, r.Text(firstName+int(body)))
		state.Poses = append(state.Poses, r.taken(&behind, poseValues))
	}
	for place := firstName + int(bodies); int64(place) < firstName+bodies+robots && r.Err == nil; place++ {
		state.Readings[r.Text(place)] = r.taken(&behind, r.Whole(place+int(robots)))
	}
	return state, r.Err
}
