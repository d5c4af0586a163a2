// Sees every state of a robot without asking for it.
package main

import (
	"fmt"
	"log"

	"coopsim.example/client/coopsim"
)

const (
	reset     = 14
	subscribe = 11
	claim     = 13
	step      = 11
	release   = 15
)

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	sim.MustAsk("/sim/world", reset, nil)
	sim.MustAsk("/sim/step", claim, []any{"robot1"})
	sim.MustAsk("/sim/info", subscribe, []any{"/robot1"})
	for number := 1; number <= 50; number++ {
		tick := sim.MustAsk("/sim/step", step, []any{0, "robot1"}, 0.4, 0.1).Tick
		message := sim.MustState()
		for message.Tick < tick {
			message = sim.MustState()
		}
		if number%10 == 0 {
			state, err := coopsim.StateOf(message)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("step %d: %v is at x %.3f m, y %.3f m\n", number, state.Names[0], state.Poses[0][0], state.Poses[0][1])
		}
	}
	sim.MustAsk("/sim/step", release, nil)
}
