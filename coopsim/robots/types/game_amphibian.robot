# a robot of games: water is no border for it (swarm gaming, 5; what distinguishes the types is in docs/games.md)
[ROBOT]
summary     game robot: water is no border for it

[BODY]
type        cylinder
size        0.36 0.36 0.22
mass        9

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.13
max_force   22.5
max_speed   0.675

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
swims       1

[DEVICE_6]
type        shooter
name        shooter
range       2.5
rate        0.8
damage      12

[DEVICE_7]
type        beeper
name        beeper

[DEVICE_8]
type        intelligence
name        intelligence
speed       0.45
turn        115
near        0.15
angle       40
