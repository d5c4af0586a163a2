# a robot that sees what is before it and nothing else
[ROBOT]
summary     cylinder on two wheels with a camera ahead

[BODY]
type        cylinder
size        0.4 0.4 0.3
mass        12

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.16
max_force   40
max_speed   0.8

[DEVICE_2]
type        camera
name        camera
rate        10
x           0.18
z           0.3
