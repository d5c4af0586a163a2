// Answers the lines of docs/conformance.md, for `coopsim conformance client`.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"coopsim.example/client/coopsim"
)

var sim *coopsim.Client
var using, clients = "main", map[string]*coopsim.Client{}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<23)
	for lines.Scan() {
		fmt.Println(strings.Join(answer(strings.Split(lines.Text(), "\t")), "\t"))
	}
}

func answer(words []string) []string {
	told, err := done(words[0], words[1:])
	var refused *coopsim.Refused
	var malformed *coopsim.Malformed
	switch {
	case err == nil:
		return told
	case errors.As(err, &refused):
		return []string{"refused", written(refused.Number), list(refused.Params), err.Error()}
	case errors.As(err, &malformed):
		return []string{"malformed", err.Error()}
	case errors.Is(err, coopsim.ErrSilent):
		return []string{"silent", err.Error()}
	case errors.Is(err, coopsim.ErrLost):
		return []string{"lost", err.Error()}
	}
	return []string{"failed", err.Error()}
}

func done(what string, words []string) ([]string, error) {
	switch what {
	case "decode":
		raw, _ := hex.DecodeString(words[0])
		m, err := coopsim.Decode(raw)
		head := []string{written(m.ID), written(m.Target), written(m.Tick), written(m.Error), written(m.Text), written(m.Command)}
		return append(append([]string{"message"}, head...), list(m.Params), list(m.Data)), err
	case "encode":
		raw, err := coopsim.Encode(coopsim.Message{
			ID: natural(words[0]), Target: value(words[1]).(string), Tick: natural(words[2]), Command: natural(words[3]),
			Params: values(words[4]), Data: floats(words[5]), Run: natural(words[6]),
		})
		return []string{"bytes", hex.EncodeToString(raw)}, err
	case "connect", "tls":
		return connect(words)
	case "reconnect":
		return reconnect()
	case "use":
		clients[using] = sim
		using, sim = words[0], clients[words[0]]
		return []string{"using", using}, nil
	case "close":
		closeAll()
		return []string{"closed"}, nil
	case "time":
		return timed(words)
	case "steps":
		return stepped(words)
	case "ask", "within", "state":
		return exchange(what, words)
	}
	return []string{"unsupported"}, nil
}

func connect(words []string) (told []string, err error) {
	closeAll()
	var keys *tls.Config
	if len(words) > 2 {
		if keys, err = coopsim.Keys(words[2], words[3]); err != nil {
			return nil, err
		}
	}
	if sim, err = coopsim.ConnectContext(context.Background(), words[0], seconds(words[1]), keys); err != nil {
		return nil, err
	}
	return []string{"connected", written(sim.Run)}, nil
}

func reconnect() ([]string, error) {
	if sim == nil {
		return nil, coopsim.ErrLost
	}
	return []string{"connected", written(sim.Run)}, sim.Reconnect(context.Background())
}

func seconds(text string) time.Duration {
	number, _ := strconv.ParseFloat(text, 64)
	return time.Duration(number * float64(time.Second))
}

func closeAll() {
	if sim != nil {
		sim.Close()
	}
	sim = nil
}

func exchange(what string, words []string) ([]string, error) {
	if sim == nil {
		return nil, coopsim.ErrLost
	}
	if what == "state" {
		m, err := sim.State()
		return []string{"state", written(m.Target), written(m.Tick), list(m.Params), list(m.Data)}, err
	}
	ctx, stop := context.Background(), func() {}
	if what == "within" {
		ctx, stop = context.WithTimeout(ctx, seconds(words[0]))
		words = words[1:]
	}
	defer stop()
	m, err := sim.AskContext(ctx, value(words[0]).(string), natural(words[1]), values(words[2]), floats(words[3]))
	return []string{"reply", written(m.Tick), list(m.Params), list(m.Data)}, err
}

func timed(words []string) ([]string, error) {
	if sim == nil {
		return nil, coopsim.ErrLost
	}
	count, _ := strconv.Atoi(words[0])
	target, command, params, data := value(words[1]).(string), natural(words[2]), values(words[3]), floats(words[4])
	began := time.Now()
	for ; count > 0; count-- {
		if _, err := sim.Ask(target, command, params, data); err != nil {
			return nil, err
		}
	}
	return []string{"time", written(time.Since(began).Seconds())}, nil
}

func stepped(words []string) ([]string, error) {
	if sim == nil {
		return nil, coopsim.ErrLost
	}
	count, _ := strconv.Atoi(words[0])
	var robots []string
	for _, name := range values(words[1]) {
		robots = append(robots, fmt.Sprint(name))
	}
	ctx := context.Background()
	stepper, err := coopsim.NewStepper(ctx, sim, robots...)
	if err != nil {
		return nil, err
	}
	defer stepper.Close()
	began := time.Now()
	for ; count > 0; count-- {
		if err := step(ctx, stepper, robots); err != nil {
			return nil, err
		}
	}
	return []string{"time", written(time.Since(began).Seconds())}, nil
}

// step drives robots by names, and reads what each sees.
func step(ctx context.Context, stepper *coopsim.Stepper, robots []string) error {
	for _, robot := range robots {
		if err := stepper.SetDifferentialDrive(robot, 0.25, 0.125); err != nil {
			return err
		}
	}
	seen, err := stepper.Step(ctx)
	if err != nil {
		return err
	}
	for _, robot := range robots {
		sonars, err := seen.Sonars(robot)
		if err != nil {
			return err
		}
		drive, err := seen.DifferentialDrive(robot)
		if err != nil {
			return err
		}
		if len(sonars.Ranges) == 0 || drive.V > 1 {
			return fmt.Errorf("%s sees nothing, or is too fast", robot)
		}
	}
	return nil
}

func written(value any) string {
	switch it := value.(type) {
	case string:
		return "s:" + hex.EncodeToString([]byte(it))
	case float64:
		return fmt.Sprintf("f:%016x", math.Float64bits(it))
	}
	return fmt.Sprintf("i:%d", value)
}

func list[T any](all []T) string {
	words := make([]string, len(all))
	for place, value := range all {
		words[place] = written(value)
	}
	return strings.Join(words, " ")
}

func value(text string) any {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "s":
		raw, _ := hex.DecodeString(rest)
		return string(raw)
	case "f":
		bits, _ := strconv.ParseUint(rest, 16, 64)
		return math.Float64frombits(bits)
	}
	if whole, err := strconv.ParseInt(rest, 10, 64); err == nil {
		return whole
	}
	return natural(text)
}

func natural(text string) uint64 {
	number, _ := strconv.ParseUint(strings.TrimPrefix(text, "i:"), 10, 64)
	return number
}

func values(text string) (found []any) {
	for _, word := range strings.Fields(text) {
		found = append(found, value(word))
	}
	return found
}

func floats(text string) (found []float64) {
	for _, each := range values(text) {
		found = append(found, each.(float64))
	}
	return found
}
