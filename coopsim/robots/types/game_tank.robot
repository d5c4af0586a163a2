# a robot of games: slow and heavy, shoots far and hard (swarm gaming, 5; what distinguishes the types is in docs/games.md)
[ROBOT]
summary     game robot: slow and heavy, shoots far and hard

[BODY]
type        cylinder
size        0.5 0.5 0.3
mass        25

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.18
max_force   62.5
max_speed   0.525

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
range       4
rate        0.5
damage      25

[DEVICE_7]
type        beeper
name        beeper

[DEVICE_8]
type        intelligence
name        intelligence
speed       0.35
turn        86
near        0.15
angle       40
