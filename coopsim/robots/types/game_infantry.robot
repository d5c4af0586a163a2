# a robot of games: the usual game robot (swarm gaming, 5; what distinguishes the types is in docs/games.md)
[ROBOT]
summary     game robot: the usual game robot

[BODY]
type        cylinder
size        0.3 0.3 0.25
mass        6

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.108
max_force   15.0
max_speed   0.75

[DEVICE_2]
type        pose
name        pose

[DEVICE_3]
type        sonars
name        sonars
count       5
sector      90
rays        3
reach       4

[DEVICE_4]
type        bumpers
name        bumpers

[DEVICE_5]
type        border
name        border
swims       0

[DEVICE_6]
type        shooter
name        shooter
range       2.5
rate        1
damage      12

[DEVICE_7]
type        beeper
name        beeper

[DEVICE_8]
type        intelligence
name        intelligence
speed       0.5
turn        126
near        0.15
angle       40
