# a quadrotor that takes things from above: two fingers on slides below its body
# masses, forces and sizes of the gripper are guesses
[ROBOT]
summary     quadrotor with an autopilot and a gripper below
articulated yes

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

[LINK_1]
name        wrist
type        box
size        0.03 0.13 0.02
mass        0.04
position    0 0 -0.03

[LINK_2]
name        left
type        box
size        0.02 0.01 0.1
mass        0.02
position    0 0.055 -0.13
friction    1

[LINK_3]
name        right
type        box
size        0.02 0.01 0.1
mass        0.02
position    0 -0.055 -0.13
friction    1

# nothing drives it: what hangs in the gripper swings freely
[JOINT_1]
name        wrist
type        hinge
bodies      base wrist
anchor      0 0 -0.02
axis        0 1 0
limits      -70 70

[JOINT_2]
name        left_finger
type        slide
bodies      wrist left
anchor      0 0 0
axis        0 1 0
limits      -0.05 0.001
armature    0.2

[JOINT_3]
name        right_finger
type        slide
bodies      wrist right
anchor      0 0 0
axis        0 -1 0
limits      -0.05 0.001
armature    0.2

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
type        autopilot
name        autopilot
paces       yes
mass        1.08

[DEVICE_5]
type        gripper
name        gripper
joints      left_finger right_finger
widest      0.1
max_effort  5
