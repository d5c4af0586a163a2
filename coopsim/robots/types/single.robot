# the small mobile platform: a cylindrical chassis, two motorised wheels, eleven distance sensors (CoopDynSim, III-A)
[ROBOT]
summary     cylinder on two wheels with eleven sonars and a camera for targets

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
