# the mobile platform that carries one end of a load: `single` with a support on top (CoopDynSim, III-A)
[ROBOT]
summary     cylinder on two wheels with eleven sonars, a camera for targets, and a support for a load

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

[DEVICE_4]
type        odometry
name        odometry

[DEVICE_5]
type        bumpers
name        bumpers

[DEVICE_6]
type        support
name        support

[VISUAL_1]
type        cylinder
name        chassis

[VISUAL_2]
type        cylinder
name        support
size        0.14 0.14 0.04
position    0 0 0.3
color       70 70 75
