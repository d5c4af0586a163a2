// Package coopsim is a client of coopsim: plain TCP and msgpack.
//
//	sim, err := coopsim.Connect("", 5*time.Second)
//	reply, err := sim.Ask("/robot1/motors", 10, nil, []float64{0.3, 0.1})
//
// A Client is for one goroutine at a time.
package coopsim

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const (
	largest    = 1 << 20
	mostStates = 64
	ping       = 0
	elsewhere  = 207
	wrongRun   = 208
)

// Refused is the answer of a server that does not do what it was asked for; Number says why (protocol, section 11).
type Refused struct {
	Number uint64
	Text   string
	Params []any
}

func (e *Refused) Error() string { return fmt.Sprintf("error %d: %s", e.Number, e.Text) }

// Malformed says that the server sent something that is no message.
type Malformed struct{ Reason string }

func (e *Malformed) Error() string { return "the server sent no message: " + e.Reason }

// ErrSilent says that no reply came in time.
var ErrSilent = errors.New("no reply in time: is the simulation paused, or waiting for another robot?")

// ErrLost says that there is no connection; connect anew.
var ErrLost = errors.New("the simulation is gone, or was never there")

type link struct {
	conn        net.Conn
	inbox       []byte
	part        []byte
	interrupted atomic.Bool
}

// dial connects by plain TCP, or with keys by TLS.
func dial(ctx context.Context, address string, timeout time.Duration, keys *tls.Config) (*link, error) {
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	place := strings.TrimPrefix(strings.TrimPrefix(address, "tcp://"), "tls://")
	dialContext := (&net.Dialer{}).DialContext
	if keys != nil {
		dialContext = (&tls.Dialer{Config: keys}).DialContext
	}
	conn, err := dialContext(ctx, "tcp", place)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrLost, err)
	}
	return &link{conn: conn, part: make([]byte, 1<<16)}, nil
}

// send sends one message; half of one that did not go in time would make nonsense of all that follow.
func (l *link) send(raw []byte, deadline time.Time) error {
	l.conn.SetWriteDeadline(deadline)
	framed := append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(raw)), uint32(len(raw))), raw...)
	if _, err := l.conn.Write(framed); err != nil {
		l.conn.Close()
		return fmt.Errorf("%w: %v", ErrLost, err)
	}
	return nil
}

// receive returns the next message; what came of one before the deadline is kept for later.
func (l *link) receive(deadline time.Time) ([]byte, error) {
	for {
		if len(l.inbox) >= 4 {
			size := int(binary.BigEndian.Uint32(l.inbox))
			if size > largest {
				l.conn.Close()
				return nil, &Malformed{fmt.Sprintf("a length of %d bytes", size)}
			}
			if len(l.inbox) >= 4+size {
				raw := append([]byte(nil), l.inbox[4:4+size]...)
				l.inbox = append(l.inbox[:0], l.inbox[4+size:]...)
				return raw, nil
			}
		}
		l.conn.SetReadDeadline(deadline)
		if l.interrupted.Load() { // before the deadline was set, which interrupt would have moved
			return nil, ErrSilent
		}
		count, err := l.conn.Read(l.part)
		l.inbox = append(l.inbox, l.part[:count]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, ErrSilent
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %v", ErrLost, err)
		}
	}
}

// interruptible lets the end of a context end what is read; the function that it returns is to be called behind that.
func (l *link) interruptible(ctx context.Context) func() {
	if ctx.Done() == nil {
		return func() {}
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		l.interrupted.Store(true)
		l.conn.SetDeadline(time.Unix(1, 0))
		close(over)
	})
	return func() {
		if !stop() {
			<-over
			l.interrupted.Store(false)
		}
	}
}

// Client speaks to one run of a simulation.
type Client struct {
	Run       uint64 // its number; another run refuses what is meant for this one
	address   string
	keys      *tls.Config
	link      *link
	timeout   time.Duration
	number    uint64
	elsewhere map[string]*link
	states    []Message
}

// Connect connects to host:port; "" stands for COOPSIM_TCP, or else 127.0.0.1:5571.
func Connect(address string, timeout time.Duration) (*Client, error) {
	return ConnectContext(context.Background(), address, timeout, nil)
}

// ConnectContext is Connect until a context is over; keys, as Keys returns them, are for a server that asks for some.
func ConnectContext(ctx context.Context, address string, timeout time.Duration, keys *tls.Config) (*Client, error) {
	if address == "" {
		address = os.Getenv("COOPSIM_TCP")
	}
	if address == "" {
		address = "127.0.0.1:5571"
	}
	client := &Client{address: address, timeout: timeout, keys: keys}
	if err := client.open(ctx); err != nil {
		return nil, err
	}
	return client, nil
}

// open connects and learns the run: from now on another one refuses what is meant for this one.
func (c *Client) open(ctx context.Context) (err error) {
	c.Run, c.states, c.elsewhere = 0, nil, map[string]*link{}
	if c.link, err = dial(ctx, c.address, c.timeout, c.keys); err != nil {
		return err
	}
	reply, err := c.AskContext(ctx, "/sim/clock", ping, nil, nil)
	if err != nil {
		c.Close()
		return err
	}
	if len(reply.Params) > 1 {
		run, _ := reply.Params[1].(int64)
		c.Run = uint64(run)
	}
	return nil
}

// Reconnect connects anew, to the same run; the error is a *Refused with 208 when another one is there, which Connect may drive.
func (c *Client) Reconnect(ctx context.Context) error {
	c.Close()
	run := c.Run
	err := c.open(ctx)
	there := c.Run
	if c.Run = run; err == nil && there != run {
		c.Close()
		err = &Refused{wrongRun, "another run is at " + c.address, []any{there}}
	}
	return err
}

// Ask sends a request and returns its reply. The error is a *Refused, ErrSilent, ErrLost or a *Malformed.
func (c *Client) Ask(target string, command uint64, params []any, data []float64) (Message, error) {
	return c.AskContext(context.Background(), target, command, params, data)
}

// AskContext is Ask until a context is over, or, where that has no deadline, as long as the time-out of the client; the
// error is then ErrSilent and that of the context.
func (c *Client) AskContext(ctx context.Context, target string, command uint64, params []any, data []float64) (Message, error) {
	request := Message{Target: target, Command: command, Params: params, Data: data, Run: c.Run}
	if there, ok := c.elsewhere[target]; ok {
		return c.askElsewhere(ctx, there, request)
	}
	reply, err := c.exchange(ctx, c.link, request)
	if err != nil || reply.Error != elsewhere || len(reply.Params) < 2 {
		return checked(reply, err)
	}
	address, _ := reply.Params[1].(string)
	host, _, _ := net.SplitHostPort(c.link.conn.RemoteAddr().String())
	keys := c.keys
	if !strings.HasPrefix(address, "tls://") {
		keys = nil
	}
	there, err := dial(ctx, strings.Replace(address, "0.0.0.0", host, 1), c.timeout, keys)
	if err != nil {
		return Message{}, err
	}
	c.elsewhere[target] = there
	return c.askElsewhere(ctx, there, request)
}

// AskAll sends several requests to the simulation, then waits for all replies, as a STEP in parts needs it; it ends as
// AskContext does, and with the first refusal.
func (c *Client) AskAll(ctx context.Context, requests []Message) ([]Message, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(c.timeout)
	}
	defer c.link.interruptible(ctx)()
	first := c.number + 1
	for _, request := range requests {
		c.number++
		request.ID, request.Run = c.number, c.Run
		raw, err := Encode(request)
		if err == nil {
			err = c.link.send(raw, deadline)
		}
		if err != nil {
			return nil, err
		}
	}
	replies := make([]Message, len(requests))
	for left := len(requests); left > 0; {
		reply, err := c.next(c.link, deadline)
		if errors.Is(err, ErrSilent) && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ErrSilent, ctx.Err())
		}
		if err != nil {
			return nil, err
		}
		if place := reply.ID - first; reply.ID >= first && place < uint64(len(replies)) && replies[place].ID == 0 {
			replies[place] = reply
			left--
		}
	}
	for _, reply := range replies {
		if _, err := checked(reply, nil); err != nil {
			return nil, err
		}
	}
	return replies, nil
}

// askElsewhere asks the server that a module has of its own; where that is gone, the next request asks where it is now.
func (c *Client) askElsewhere(ctx context.Context, there *link, request Message) (Message, error) {
	request.Run = 0
	reply, err := c.exchange(ctx, there, request)
	if err != nil && !errors.Is(err, ErrSilent) {
		there.conn.Close()
		delete(c.elsewhere, request.Target)
	}
	return checked(reply, err)
}

// State waits for the next state of a topic that was subscribed to: Ask("/sim/info", 11, []any{topic}, nil).
func (c *Client) State() (Message, error) {
	deadline := time.Now().Add(c.timeout)
	for len(c.states) == 0 {
		if _, err := c.next(c.link, deadline); err != nil {
			return Message{}, err
		}
	}
	state := c.states[0]
	c.states = c.states[1:]
	return state, nil
}

// Close ends all connections.
func (c *Client) Close() error {
	if c.link == nil {
		return nil
	}
	err := c.link.conn.Close()
	for _, there := range c.elsewhere {
		err = errors.Join(err, there.conn.Close())
	}
	return err
}

func (c *Client) exchange(ctx context.Context, l *link, request Message) (Message, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(c.timeout)
	}
	c.number++
	request.ID = c.number
	raw, err := Encode(request)
	if err != nil {
		return Message{}, err
	}
	defer l.interruptible(ctx)()
	if err = l.send(raw, deadline); err != nil {
		return Message{}, err
	}
	for {
		reply, err := c.next(l, deadline)
		if errors.Is(err, ErrSilent) && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ErrSilent, ctx.Err())
		}
		if err != nil || reply.ID == request.ID {
			return reply, err
		}
	}
}

// next returns the next reply, or a message with id 0 for what is none: a probe, or a state, which is kept.
func (c *Client) next(l *link, deadline time.Time) (Message, error) {
	raw, err := l.receive(deadline)
	if err != nil || len(raw) == 0 {
		return Message{}, err
	}
	message, err := Decode(raw)
	if err == nil && message.ID == 0 {
		c.states = append(c.states, message)
		c.states = c.states[max(0, len(c.states)-mostStates):]
	}
	return message, err
}

func checked(reply Message, err error) (Message, error) {
	if err == nil && reply.Error != 0 {
		err = &Refused{reply.Error, reply.Text, reply.Params}
	}
	return reply, err
}
