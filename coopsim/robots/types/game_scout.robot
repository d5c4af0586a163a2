# a robot of games: fast and light, sees far, shoots little (swarm gaming, 5; what distinguishes the types is in docs/games.md)
[ROBOT]
summary     game robot: fast and light, sees far, shoots little

[BODY]
type        cylinder
size        0.24 0.24 0.18
mass        3

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.086
max_force   7.5
max_speed   1.05

[DEVICE_2]
type        pose
name        pose

[DEVICE_3]
type        sonars
name        sonars
count       5
sector      90
rays        3
reach       6

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
range       3
rate        1
damage      10

[DEVICE_7]
type        beeper
name        beeper

[DEVICE_8]
type        intelligence
name        intelligence
speed       0.7
turn        172
near        0.15
angle       40
