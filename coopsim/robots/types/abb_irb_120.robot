# ABB IRB 120, six joints; the flange is at 0.374 0 0.630 m where all joints are at 0, facing ahead
# offsets, axes, limits, speeds, masses: ros-industrial/abb, abb_irb120_support/urdf/irb120_3_58_macro.xacro;
# offsets and limits agree with 4rtur1t0/ARTE, robots/ABB/IRB120/parameters.m
# guesses: shapes of the links (boxes and cylinders), largest torques, inertia of the motors (armature), and the gripper
[ROBOT]
summary     ABB IRB 120: an arm with six joints and a gripper, bolted down
articulated yes

[BODY]
type        cylinder
size        0.2 0.2 0.166
mass        6.215
bolted      yes

[LINK_1]
name        shoulder
type        cylinder
size        0.2 0.2 0.124
mass        3.067
position    0 0 0.166

[LINK_2]
name        upper_arm
type        box
size        0.13 0.2 0.31
mass        3.909
position    0 0 0.27

[LINK_3]
name        elbow
type        box
size        0.15 0.13 0.13
mass        2.944
position    0.02 0 0.565

[LINK_4]
name        forearm
type        cylinder
size        0.1 0.1 0.18
mass        1.328
position    0.1 0 0.63
orientation 0 90 0

[LINK_5]
name        wrist
type        cylinder
size        0.08 0.08 0.06
mass        0.546
position    0.272 0 0.63
orientation 0 90 0

[LINK_6]
name        flange
type        cylinder
size        0.05 0.05 0.035
mass        0.137
position    0.339 0 0.63
orientation 0 90 0

[LINK_7]
name        palm
type        box
size        0.05 0.13 0.06
mass        0.5
position    0.374 0 0.63
orientation 0 90 0

[LINK_8]
name        left
type        box
size        0.03 0.01 0.06
mass        0.05
position    0.434 0.045 0.63
orientation 0 90 0
friction    1

[LINK_9]
name        right
type        box
size        0.03 0.01 0.06
mass        0.05
position    0.434 -0.045 0.63
orientation 0 90 0
friction    1

[JOINT_1]
name        joint_1
type        hinge
bodies      base shoulder
anchor      0 0 0.166
axis        0 0 1
limits      -165 165
armature    0.6

[JOINT_2]
name        joint_2
type        hinge
bodies      shoulder upper_arm
anchor      0 0 0.124
axis        0 1 0
limits      -110 110
armature    0.6

[JOINT_3]
name        joint_3
type        hinge
bodies      upper_arm elbow
anchor      0 0 0.29
axis        0 1 0
limits      -110 70
armature    0.4

[JOINT_4]
name        joint_4
type        hinge
bodies      elbow forearm
anchor      -0.02 0 0.065
axis        1 0 0
limits      -160 160
armature    0.1

[JOINT_5]
name        joint_5
type        hinge
bodies      forearm wrist
anchor      0 0 0.202
axis        0 1 0
limits      -120 120
armature    0.1

[JOINT_6]
name        joint_6
type        hinge
bodies      wrist flange
anchor      0 0 0.03
axis        0 0 1
limits      -400 400
armature    0.05

[JOINT_7]
name        wrist_plate
type        weld
bodies      flange palm
anchor      0 0 0.035

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
joints      joint_1 joint_2 joint_3 joint_4 joint_5 joint_6
max_velocity 4.36332 4.36332 4.36332 5.58505 5.58505 7.33038
max_effort  150 150 100 40 40 20

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
