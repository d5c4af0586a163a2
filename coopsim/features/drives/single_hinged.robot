# the small mobile platform as the paper builds it: chassis, two wheels on hinges, two casters, each a body of its own;
# the paper gives no dimensions: chassis, sensors and limits are those of `single`, all others are guesses
# wheels reach 3 mm lower than the base, so that nothing but them and the casters, 2 mm higher, touches the floor
[ROBOT]
summary     cylinder on two wheels on hinges and two casters, all of them bodies, with eleven sonars
model       single_chassis.urdf
free        yes
articulated yes

[LINK_1]
name        left_wheel
type        cylinder
size        0.12 0.12 0.03
mass        0.8
position    0 0.195 0.057
orientation 90 0 0
friction    1

[LINK_2]
name        right_wheel
type        cylinder
size        0.12 0.12 0.03
mass        0.8
position    0 -0.165 0.057
orientation 90 0 0
friction    1

[LINK_3]
name        front_fork
type        box
size        0.02 0.02 0.02
mass        0.2
position    0.2 0 0.045

[LINK_4]
name        front_roller
type        sphere
size        0.06 0.06 0.06
mass        0.3
position    0.18 0 -0.001
friction    0.3

[LINK_5]
name        rear_fork
type        box
size        0.02 0.02 0.02
mass        0.2
position    -0.2 0 0.045

[LINK_6]
name        rear_roller
type        sphere
size        0.06 0.06 0.06
mass        0.3
position    -0.22 0 -0.001
friction    0.3

[JOINT_1]
name        left_axle
type        hinge
bodies      chassis left_wheel
anchor      0 0.18 0.057
axis        0 1 0
armature    0.02

[JOINT_2]
name        right_axle
type        hinge
bodies      chassis right_wheel
anchor      0 -0.18 0.057
axis        0 1 0
armature    0.02

[JOINT_3]
name        front_swivel
type        hinge
bodies      chassis front_fork
anchor      0.2 0 0.05
axis        0 0 1

[JOINT_4]
name        front_roll
type        hinge
bodies      front_fork front_roller
anchor      -0.02 0 -0.016
axis        0 1 0

[JOINT_5]
name        rear_swivel
type        hinge
bodies      chassis rear_fork
anchor      -0.2 0 0.05
axis        0 0 1

[JOINT_6]
name        rear_roll
type        hinge
bodies      rear_fork rear_roller
anchor      -0.02 0 -0.016
axis        0 1 0

[DEVICE_1]
type        hinged_wheels
name        motors

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
