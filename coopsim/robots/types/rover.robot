# a rover of the size that the leader and follower challenge takes: wheels 0.6 m apart, compass and receiver
[ROBOT]
summary     rover on two wheels with compass and gps

[BODY]
type        box
size        0.7 0.5 0.3
mass        15

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.3
max_force   60
max_speed   1.5

[DEVICE_2]
type        gps
name        gps
rate        0

[DEVICE_3]
type        compass
name        compass
rate        0
