# a rover that knows where it is only as well as its instruments do: camera ahead, compass, satellite receiver
[ROBOT]
summary     rover with a camera ahead, nine sonars, compass and gps, all of them noisy

[BODY]
type        box
size        0.44 0.36 0.25
mass        12

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.16
max_force   30
max_speed   0.6

[DEVICE_2]
type        sonars
name        sonars
count       9
sector      200
reach       3
noise       0.01

[DEVICE_3]
type        target
name        target
reach       12
field       120
occlusion   1
noise_distance 0.02
noise_angle 0.5

[DEVICE_4]
type        odometry
name        odometry
noise       0.01

[DEVICE_5]
type        bumpers
name        bumpers

[DEVICE_6]
type        compass
name        compass
rate        20
noise       2

[DEVICE_7]
type        gps
name        gps
rate        4
delay       0.2
noise       0.3
