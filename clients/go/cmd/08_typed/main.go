// Drives three robots by names: commands, readings, parameters and refusals as this language has them.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"time"

	"coopsim.example/client/coopsim"
)

var robots = []string{"robot1", "robot2", "robot3"}

func main() {
	log.SetFlags(0)
	sim, err := coopsim.Connect("", 5*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	defer sim.Close()
	ctx := context.Background()
	if err := errors.Join(drive(ctx, sim), measure(ctx, sim)); err != nil {
		log.Fatal(err)
	}
}

func drive(ctx context.Context, sim *coopsim.Client) error {
	if _, err := coopsim.NewWorld(sim, "").Reset(ctx, "all", -1); err != nil {
		return err
	}
	stepper, err := coopsim.NewStepper(ctx, sim, robots...)
	if err != nil {
		return err
	}
	defer stepper.Close()
	var seen coopsim.Readings
	for range 40 {
		for index, robot := range robots {
			if err := stepper.SetDifferentialDrive(robot, 0.1*float64(index+1), 0.05); err != nil {
				return err
			}
		}
		if seen, err = stepper.Step(ctx); err != nil {
			return err
		}
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
		fmt.Printf("%s: nearest %.3f m, speed %.3f m/s\n", robot, slices.Min(sonars.Ranges), drive.V)
	}
	return nil
}

func measure(ctx context.Context, sim *coopsim.Client) error {
	pose, err := coopsim.NewOdometry(sim, "/robot3/odometry").Pose(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("robot3 is at x %.3f m, y %.3f m\n", pose.X, pose.Y)
	sonars := coopsim.NewSonars(sim, "/robot1/sonars")
	reach, err := sonars.GetReach(ctx)
	if err != nil {
		return err
	}
	changed, err := sonars.SetReach(ctx, 2)
	if err != nil {
		return err
	}
	fmt.Printf("reach was %.1f m, is %.1f m\n", reach, changed)
	if _, err = sonars.SetReach(ctx, reach); err != nil {
		return err
	}
	_, err = coopsim.NewSonars(sim, "/robotX/sonars").Ranges(ctx)
	var refused *coopsim.Refused
	if !errors.As(err, &refused) {
		return err
	}
	fmt.Printf("refused: no such name %t\n", refused.Number == coopsim.CodeNoSuchName)
	return nil
}
