// Shows moments of a recording (coopsim replay FILE), which nobody can drive.
package main

import (
	"errors"
	"fmt"

	"coopsim.example/client/coopsim"
)

const (
	pause       = 13
	seek        = 14
	pose        = 10
	setVelocity = 10
)

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	sim.MustAsk("/sim/playback", pause, nil)
	for _, moment := range []float64{1.0, 2.0, 0.5} {
		shown := sim.MustAsk("/sim/playback", seek, nil, moment).Data
		at := sim.MustAsk("/robot1/odometry", pose, nil).Data
		fmt.Printf("%.2f s: x %.3f m, y %.3f m\n", shown[0], at[0], at[1])
	}
	_, err := sim.Ask("/robot1/motors", setVelocity, nil, []float64{0.3, 0})
	var refused *coopsim.Refused
	if errors.As(err, &refused) {
		fmt.Println("refused with", refused.Number)
	}
}
