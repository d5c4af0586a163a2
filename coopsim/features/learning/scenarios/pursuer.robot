# the robot `single`, whose camera follows the quarry
[ROBOT]
summary     cylinder on two wheels that looks for the quarry

[BODY]
type        cylinder
size        0.5 0.5 0.3
mass        20

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.18
max_force   40
max_speed   0.5

[DEVICE_2]
type        sonars
name        sonars
count       11
sector      220
reach       3

[DEVICE_3]
type        target
name        target
robots      quarry

[DEVICE_4]
type        bumpers
name        bumpers
