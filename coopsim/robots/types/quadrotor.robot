# four rotors in a cross; flies on engines in space, such as mujoco
[ROBOT]
summary     quadrotor of 1 kg with an autopilot, an inertial unit, six distance sensors; sees its neighbours

[BODY]
type        cylinder
size        0.4 0.4 0.1
mass        1
wheels      no

[VISUAL_1]
type        cylinder
size        0.12 0.12 0.08
position    0 0 0.01

[VISUAL_2]
type        box
size        0.36 0.02 0.02
position    0 0 0.04

[VISUAL_3]
type        box
size        0.02 0.36 0.02
position    0 0 0.04

[VISUAL_4]
type        cylinder
name        front
size        0.2 0.2 0.01
position    0.17 0 0.07
color       orange

[VISUAL_5]
type        cylinder
size        0.2 0.2 0.01
position    0 0.17 0.07

[VISUAL_6]
type        cylinder
size        0.2 0.2 0.01
position    -0.17 0 0.07

[VISUAL_7]
type        cylinder
size        0.2 0.2 0.01
position    0 -0.17 0.07

[DEVICE_1]
type        rotors
name        rotors
paces       no

[DEVICE_2]
type        imu
name        imu
noise_acceleration  0.1
noise_rate          0.3
bias_acceleration   0.05
bias_rate           0.06

[DEVICE_3]
type        pose
name        pose

[DEVICE_4]
type        range
name        range
rate        10

[DEVICE_5]
type        neighbours
name        neighbours

[DEVICE_6]
type        autopilot
name        autopilot
paces       yes

[DEVICE_7]
type        potentials
name        potentials
damping     0.6
