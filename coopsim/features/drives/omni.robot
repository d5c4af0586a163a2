# a platform on three omnidirectional wheels, of the size of `single`
[ROBOT]
summary     moves in any direction, with sixteen sonars all around

[BODY]
type        cylinder
size        0.4 0.4 0.25
mass        12

[DEVICE_1]
type        omni_drive
name        motors

[DEVICE_2]
type        sonars
name        sonars
count       16
sector      337.5
reach       3

[DEVICE_3]
type        target
name        target

[DEVICE_4]
type        drive_odometry
name        odometry

[DEVICE_5]
type        bumpers
name        bumpers
