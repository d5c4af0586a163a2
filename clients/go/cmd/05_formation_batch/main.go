// Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.
package main

import (
	"fmt"

	"coopsim.example/client/coopsim"
)

const (
	reset   = 14
	layout  = 10
	step    = 11
	claim   = 13
	release = 15
	pose    = 10
	steps   = 60
)

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	robots := []any{"robot1", "robot2", "robot3"}
	sim.MustAsk("/sim/world", reset, nil)
	lengths := sim.MustAsk("/sim/step", layout, nil).Data
	sim.MustAsk("/sim/step", claim, robots)
	named := append([]any{0}, robots...)
	var readings []float64
	for number := 0; number < steps; number++ {
		turn := 0.25
		if number%80 >= 40 {
			turn = -0.25
		}
		readings = sim.MustAsk("/sim/step", step, named, 0.25, turn, 0.3125, turn, 0.375, turn).Data
	}
	fmt.Printf("%d readings a step, %.0f of each robot\n", len(readings), lengths[1])
	for _, name := range robots {
		at := sim.MustAsk(fmt.Sprintf("/%v/odometry", name), pose, nil).Data
		fmt.Printf("%v: x %.3f m, y %.3f m\n", name, at[0], at[1])
	}
	sim.MustAsk("/sim/step", release, nil)
}
