# Motoman MH5, six joints; the flange is at 0.461 0 0.6799 m where all joints are at 0, facing ahead
# offsets, axes, limits, speeds: ros-industrial/motoman, motoman_mh5_support/urdf/mh5_macro.xacro
# guesses: all masses (27 kg together, as the data sheets of arms of this size say), shapes of the links, torques,
# inertia of the motors (armature), and the gripper
[ROBOT]
summary     Motoman MH5: an arm with six joints and a gripper, bolted down
articulated yes

[BODY]
type        cylinder
size        0.24 0.24 0.18
mass        9
bolted      yes

[LINK_1]
name        shoulder
type        cylinder
size        0.24 0.24 0.15
mass        6
position    0 0 0.18

[LINK_2]
name        upper_arm
type        box
size        0.12 0.16 0.33
mass        5
position    0.088 0 0.32

[LINK_3]
name        elbow
type        box
size        0.16 0.14 0.14
mass        3.5
position    0.11 0 0.61

[LINK_4]
name        forearm
type        cylinder
size        0.1 0.1 0.18
mass        2
position    0.19 0 0.6799
orientation 0 90 0

[LINK_5]
name        wrist
type        cylinder
size        0.08 0.08 0.06
mass        1
position    0.37 0 0.6799
orientation 0 90 0

[LINK_6]
name        flange
type        cylinder
size        0.05 0.05 0.02
mass        0.3
position    0.441 0 0.6799
orientation 0 90 0

[LINK_7]
name        palm
type        box
size        0.05 0.13 0.06
mass        0.5
position    0.461 0 0.6799
orientation 0 90 0

[LINK_8]
name        left
type        box
size        0.03 0.01 0.06
mass        0.05
position    0.521 0.045 0.6799
orientation 0 90 0
friction    1

[LINK_9]
name        right
type        box
size        0.03 0.01 0.06
mass        0.05
position    0.521 -0.045 0.6799
orientation 0 90 0
friction    1

[JOINT_1]
name        joint_s
type        hinge
bodies      base shoulder
anchor      0 0 0.199
axis        0 0 1
limits      -170.002 170.002
armature    0.8

[JOINT_2]
name        joint_l
type        hinge
bodies      shoulder upper_arm
anchor      0.088 0 0.15
axis        0 1 0
limits      -65.0021 150
armature    0.8

[JOINT_3]
name        joint_u
type        hinge
bodies      upper_arm elbow
anchor      0 0 0.32
axis        0 -1 0
limits      -135.997 255.001
armature    0.5

[JOINT_4]
name        joint_r
type        hinge
bodies      elbow forearm
anchor      0.0495 0 0.0699
axis        -1 0 0
limits      -189.999 189.999
armature    0.1

[JOINT_5]
name        joint_b
type        hinge
bodies      forearm wrist
anchor      0 0 0.203
axis        0 -1 0
limits      -125.002 125.002
armature    0.1

[JOINT_6]
name        joint_t
type        hinge
bodies      wrist flange
anchor      0 0 0.074
axis        0 0 -1
limits      -359.995 359.995
armature    0.05

[JOINT_7]
name        wrist_plate
type        weld
bodies      flange palm
anchor      0 0 0.02

[JOINT_8]
name        left_finger
type        slide
bodies      palm left
anchor      0 0 0
axis        0 1 0
limits      -0.039 0.001
armature    0.5

[JOINT_9]
name        right_finger
type        slide
bodies      palm right
anchor      0 0 0
axis        0 -1 0
limits      -0.039 0.001
armature    0.5

[DEVICE_1]
type        joints
name        joints
joints      joint_s joint_l joint_u joint_r joint_b joint_t
max_velocity 2.96 2.96 2.96 3.48 3.48 6.97
max_effort  200 200 120 50 50 30

[DEVICE_2]
type        gripper
name        gripper
joints      left_finger right_finger
widest      0.08

[DEVICE_3]
type        tool
name        pose
body        palm
offset      0.1
