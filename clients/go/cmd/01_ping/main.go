// Asks what is there, and for something that is not.
package main

import (
	"errors"
	"fmt"

	"coopsim.example/client/coopsim"
)

const list = 10

func main() {
	sim := coopsim.MustConnect()
	defer sim.Close()
	fmt.Printf("/robot1/motors is a %v\n", sim.MustAsk("/robot1/motors", 0, nil).Params[0])
	for _, name := range sim.MustAsk("/sim/names", list, []any{"/robot1/"}).Params {
		fmt.Println(name)
	}
	_, err := sim.Ask("/robotX/motors", 0, nil, nil)
	var refused *coopsim.Refused
	if errors.As(err, &refused) {
		fmt.Println("refused with", refused.Number)
	}
}
