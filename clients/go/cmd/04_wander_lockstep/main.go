// Wanders without a collision: in lockstep each reading is of the step that the last command made.
package main

import (
	"fmt"
	"slices"

	"coopsim.example/client/coopsim"
)

const (
	reset       = 14
	release     = 15
	ranges      = 10
	setVelocity = 10
	pose        = 10
	steps       = 90
)

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	sim.MustAsk("/sim/world", reset, nil)
	for step := 1; step <= steps; step++ {
		seen := sim.MustAsk("/robot1/sonars", ranges, nil).Data
		v, w := decide(seen)
		sim.MustAsk("/robot1/motors", setVelocity, nil, v, w)
		if step%30 == 0 {
			at := sim.MustAsk("/robot1/odometry", pose, nil).Data
			fmt.Printf("step %d: x %.3f m, y %.3f m\n", step, at[0], at[1])
		}
	}
	sim.MustAsk("/sim/step", release, nil)
}

// decide returns v and w: forward, turning to the side with more room.
func decide(ranges []float64) (v, w float64) {
	middle := len(ranges) / 2
	right, left := slices.Min(ranges[:middle+1]), slices.Min(ranges[middle:])
	if slices.Min(ranges[middle-1:middle+2]) < 0.6 {
		if left >= right {
			return 0, 0.8
		}
		return 0, -0.8
	}
	return 0.4, 0.4 * (left - right) / (left + right + 0.1)
}
