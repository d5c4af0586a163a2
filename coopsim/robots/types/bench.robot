[ROBOT]
summary     disc for benchmarks

[BODY]
type        cylinder
size        0.36 0.36 0.2
mass        8

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.14
max_force   20

[DEVICE_2]
type        sonars
name        sonars
count       11
sector      180
reach       2
rays        1
