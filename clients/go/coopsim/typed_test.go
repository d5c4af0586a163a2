package coopsim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"sync/atomic"
	"testing"
	"time"
)

const layout = `{"generation": %d, "types": {"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]],
 "takes_length": 2, "gives": [["sonars", "ranges", "m", 0, 2]], "gives_length": 2}}, "robots": [["robot1", "t"]]}`

// serve returns a client of a server that answers PING with a run, and all else as a function says: nil is silence.
func serve(t *testing.T, answer func(request Message) *Message) *Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		conn, err := listener.Accept()
		for err == nil {
			var request Message
			if request, err = receive(conn); err != nil {
				return
			}
			reply := &Message{Params: []any{"clock", 77}, Data: []float64{1, 0}}
			if request.Command != ping {
				reply = answer(request)
			}
			if reply != nil {
				reply.ID, reply.Tick = request.ID, 5
				raw, _ := Encode(*reply)
				_, err = conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...))
			}
		}
	}()
	client, err := Connect(listener.Addr().String(), 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func receive(conn net.Conn) (Message, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(conn, head); err != nil {
		return Message{}, err
	}
	raw := make([]byte, binary.BigEndian.Uint32(head))
	if _, err := io.ReadFull(conn, raw); err != nil {
		return Message{}, err
	}
	return Decode(raw)
}

func TestACommandSendsItsNumberAndValuesInOrder(t *testing.T) {
	requests := make(chan Message, 1)
	sim := serve(t, func(request Message) *Message { requests <- request; return &Message{} })
	tick, err := NewDifferentialDrive(sim, "/robot1/motors").SetVelocity(context.Background(), 0.5, 0.25)
	asked := <-requests
	if err != nil || tick != 5 || asked.Command != 10 || !reflect.DeepEqual(asked.Data, []float64{0.5, 0.25}) {
		t.Errorf("tick %d, error %v, request %v", tick, err, asked)
	}
}

func TestReadingsHaveNamesAndRunsOfOneLengthShareWhatCame(t *testing.T) {
	sim := serve(t, func(Message) *Message { return &Message{Data: []float64{1, 2, 3, 4, 5, 6}} })
	seen, err := NewJoints(sim, "/arm/arm").State(context.Background())
	if err != nil || !reflect.DeepEqual(seen.Positions, []float64{1, 2}) || !reflect.DeepEqual(seen.Efforts, []float64{5, 6}) {
		t.Errorf("%v, error %v", seen, err)
	}
}

func TestTooFewValuesAndWrongTypesAreNoReadings(t *testing.T) {
	sim := serve(t, func(Message) *Message { return &Message{Params: []any{"lockstep"}} })
	var malformed *Malformed
	if _, err := NewClock(sim, "").Status(context.Background()); !errors.As(err, &malformed) {
		t.Errorf("too few values: %v", err)
	}
	if _, err := NewSonars(sim, "/robot1/sonars").GetReach(context.Background()); !errors.As(err, &malformed) {
		t.Errorf("a text for a number: %v", err)
	}
}

func TestAContextEndsOneRequest(t *testing.T) {
	var speaks atomic.Bool
	sim := serve(t, func(Message) *Message {
		if speaks.Load() {
			return &Message{Data: []float64{1}}
		}
		return nil
	})
	late, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := NewSonars(sim, "/robot1/sonars").Ranges(late); !errors.Is(err, ErrSilent) {
		t.Errorf("a deadline: %v", err)
	}
	cancelled, end := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, end)
	if _, err := NewSonars(sim, "/robot1/sonars").Ranges(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	speaks.Store(true)
	if seen, err := NewSonars(sim, "/robot1/sonars").Ranges(context.Background()); err != nil || seen.Ranges[0] != 1 {
		t.Errorf("the next request: %v, %v", seen, err)
	}
}

func TestAStaleLayoutIsAskedForAgain(t *testing.T) {
	generation := 0
	sim := serve(t, func(request Message) *Message {
		switch {
		case request.Command == layoutCommand:
			generation++
			return &Message{Params: []any{fmt.Sprintf(layout, generation)}}
		case request.Command == stepCommand && request.Params[0] == int64(1):
			return &Message{Error: CodeStaleLayout, Params: []any{2}}
		}
		return &Message{Params: []any{2}, Data: []float64{1, 2}}
	})
	stepper, err := NewStepper(context.Background(), sim)
	if err != nil {
		t.Fatal(err)
	}
	if err := stepper.Put("robot1", "motors", "v", 1, 2); err == nil {
		t.Error("two values where one is meant")
	}
	if err := stepper.SetDifferentialDrive("robot1", 0.3, 0.1); err != nil {
		t.Error(err)
	}
	seen, err := stepper.Step(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if sonars, err := seen.Sonars("robot1"); err != nil || !reflect.DeepEqual(sonars.Ranges, []float64{1, 2}) {
		t.Errorf("%v, error %v", sonars, err)
	}
	if _, err := seen.Gps("robot1"); err == nil {
		t.Error("a module that it has not")
	}
	if err := stepper.Close(); err != nil {
		t.Error(err)
	}
}

func TestEventsAndStatesHaveNames(t *testing.T) {
	events, err := EventsOf(Message{
		Target: "/sim/events",
		Params: []any{int64(4), "/a", "x", "hi", int64(8), int64(2), "/b", "y", "", int64(9), int64(0)}, Data: []float64{1, 2},
	})
	if err != nil || len(events) != 2 || events[0].Text != "hi" || !reflect.DeepEqual(events[0].Data, []float64{1, 2}) {
		t.Fatalf("%v %v", events, err)
	}
	if events[1].Number != 5 || events[1].Topic != "/b" || len(events[1].Data) != 0 {
		t.Errorf("%v", events[1])
	}
	state, err := StateOf(Message{
		Target: "/sim/state", Tick: 9, Data: []float64{0.5, 0, 1, 2, 3, 4, 5, 6, 3, 4},
		Params: []any{int64(7), int64(1), int64(2), "free", int64(0), int64(1), int64(1), int64(1), "box", "robot1", int64(2)},
	})
	if err != nil || !state.HasEnded || state.Poses[0][6] != 6 || !reflect.DeepEqual(state.Readings["robot1"], []float64{3, 4}) {
		t.Errorf("%v %v", state, err)
	}
}

func TestMessagesThatTellNoEventsAndNoStateAreMalformed(t *testing.T) {
	var malformed *Malformed
	for _, count := range []any{int64(-1), int64(3), int64(1) << 62, "two"} {
		params := []any{int64(4), "/a", "x", "hi", int64(8), count}
		if _, err := EventsOf(Message{Params: params, Data: []float64{1, 2}}); !errors.As(err, &malformed) {
			t.Errorf("%v: %v", count, err)
		}
		params = []any{int64(7), int64(1), int64(2), "free", int64(0), int64(1), count, int64(0), "box"}
		if _, err := StateOf(Message{Params: params, Data: []float64{0.5}}); !errors.As(err, &malformed) {
			t.Errorf("%v: %v", count, err)
		}
	}
	if _, err := StateOf(Message{}); !errors.As(err, &malformed) {
		t.Error(err)
	}
}
