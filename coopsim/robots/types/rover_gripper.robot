# a robot on two wheels that takes things ahead of it: two fingers on slides before its body
# masses, forces and sizes of the gripper are guesses
[ROBOT]
summary     box on two wheels with a gripper ahead
articulated yes

[BODY]
type        box
size        0.5 0.4 0.32
mass        15

[VISUAL_1]
type        box

[VISUAL_2]
type        box
name        left_arm
size        0.1 0.012 0.03
position    0.29 0.09 0.285

[VISUAL_3]
type        box
name        right_arm
size        0.1 0.012 0.03
position    0.29 -0.09 0.285

[LINK_1]
name        left
type        box
size        0.012 0.012 0.02
mass        0.1
position    0.33 0.056 0.31
friction    1

[LINK_2]
name        right
type        box
size        0.012 0.012 0.02
mass        0.1
position    0.33 -0.056 0.31
friction    1

[JOINT_1]
name        left_finger
type        slide
bodies      base left
anchor      0 0 0
axis        0 1 0
limits      -0.05 0.001
armature    0.2

[JOINT_2]
name        right_finger
type        slide
bodies      base right
anchor      0 0 0
axis        0 -1 0
limits      -0.05 0.001
armature    0.2

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.18
max_force   40
max_speed   0.5

[DEVICE_2]
type        gripper
name        gripper
joints      left_finger right_finger
widest      0.1
max_effort  6

[DEVICE_3]
type        odometry
name        odometry

[DEVICE_4]
type        pose
name        pose
