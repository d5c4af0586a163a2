# a robot of two bodies: the small platform carries an arm that turns about an upright axle and pushes things
[ROBOT]
summary     cylinder on two wheels with an arm that turns, five sonars and bumpers

[BODY]
type        cylinder
size        0.5 0.5 0.3
mass        20

[LINK_1]
name        arm
type        box
size        0.6 0.06 0.06
mass        1
position    0.3 0 0.34

[JOINT_1]
name        shoulder
type        hinge
bodies      base arm
anchor      0 0 0.34
axis        0 0 1
limits      -150 150

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.18
max_force   40
max_speed   0.5

[DEVICE_2]
type        hinge
name        shoulder
max_effort  8

[DEVICE_3]
type        sonars
name        sonars
count       5
sector      120
reach       3

[DEVICE_4]
type        odometry
name        odometry

[DEVICE_5]
type        bumpers
name        bumpers
