// Reads the distances around a robot, and changes how far it sees.
package main

import (
	"fmt"

	"coopsim.example/client/coopsim"
)

const (
	reset        = 14
	ranges       = 10
	getParameter = 2
	setParameter = 3
)

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	sim.MustAsk("/sim/world", reset, nil)
	fmt.Print("ranges")
	for _, distance := range sim.MustAsk("/robot1/sonars", ranges, nil).Data {
		fmt.Printf(" %.3f", distance)
	}
	fmt.Println()
	reach := sim.MustAsk("/robot1/sonars", getParameter, []any{"reach"}).Params[0]
	changed := sim.MustAsk("/robot1/sonars", setParameter, []any{"reach", 2.0}).Params[0]
	fmt.Printf("reach was %.1f m, is %.1f m\n", reach, changed)
	sim.MustAsk("/robot1/sonars", setParameter, []any{"reach", reach})
}
