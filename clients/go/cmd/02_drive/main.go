// Drives a robot in an arc, one request after the other.
package main

import (
	"fmt"

	"coopsim.example/client/coopsim"
)

const (
	reset       = 14
	release     = 15
	setVelocity = 10
	stop        = 12
	pose        = 10
)

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	sim.MustAsk("/sim/world", reset, nil)
	var at []float64
	for step := 0; step < 100; step++ {
		sim.MustAsk("/robot1/motors", setVelocity, nil, 0.4, 0.2)
		at = sim.MustAsk("/robot1/odometry", pose, nil).Data
	}
	sim.MustAsk("/robot1/motors", stop, nil)
	fmt.Printf("robot1 drove to x %.3f m, y %.3f m, heading %.3f rad\n", at[0], at[1], at[2])
	sim.MustAsk("/sim/step", release, nil)
}
