# amtec (Schunk) LWA, seven joints, upright; the flange is at 0 0 1.1672 m where all joints are at 0, facing up
# offsets, axes, limits, speeds, torques: ipa320/schunk_modular_robotics, schunk_description/urdf/lwa/lwa.urdf.xacro
# (which has it hang upside down; it stands here)
# guesses: all masses, shapes of the links, inertia of the motors (armature), and the gripper
[ROBOT]
summary     amtec LWA: an arm with seven joints and a gripper, bolted down
articulated yes

[BODY]
type        cylinder
size        0.2 0.2 0.12
mass        8
bolted      yes

[LINK_1]
name        shoulder_roll
type        cylinder
size        0.13 0.13 0.13
mass        2.5
position    0 0 0.12

[LINK_2]
name        shoulder_pitch
type        cylinder
size        0.11 0.11 0.2
mass        2.2
position    0 0 0.25

[LINK_3]
name        upper_arm
type        cylinder
size        0.1 0.1 0.2
mass        2
position    0 0 0.45

[LINK_4]
name        elbow
type        cylinder
size        0.1 0.1 0.16
mass        1.6
position    0 0 0.658

[LINK_5]
name        forearm
type        cylinder
size        0.09 0.09 0.15
mass        1.3
position    0 0 0.82

[LINK_6]
name        wrist_pitch
type        cylinder
size        0.08 0.08 0.1
mass        0.9
position    0 0 0.9745

[LINK_7]
name        flange
type        cylinder
size        0.07 0.07 0.09
mass        0.6
position    0 0 1.0772

[LINK_8]
name        palm
type        box
size        0.05 0.13 0.06
mass        0.5
position    0 0 1.1672

[LINK_9]
name        left
type        box
size        0.03 0.01 0.06
mass        0.05
position    0 0.045 1.2272
friction    1

[LINK_10]
name        right
type        box
size        0.03 0.01 0.06
mass        0.05
position    0 -0.045 1.2272
friction    1

[JOINT_1]
name        joint_1
type        hinge
bodies      base shoulder_roll
anchor      0 0 0.12
axis        0 0 1
limits      -179.995 179.995
armature    0.8

[JOINT_2]
name        joint_2
type        hinge
bodies      shoulder_roll shoulder_pitch
anchor      0 0 0.13
axis        0 1 0
limits      -112.873 112.873
armature    0.8

[JOINT_3]
name        joint_3
type        hinge
bodies      shoulder_pitch upper_arm
anchor      0 0 0.2
axis        0 0 1
limits      -179.995 179.995
armature    0.4

[JOINT_4]
name        joint_4
type        hinge
bodies      upper_arm elbow
anchor      0 0 0.208
axis        0 1 0
limits      -112.873 112.873
armature    0.4

[JOINT_5]
name        joint_5
type        hinge
bodies      elbow forearm
anchor      0 0 0.162
axis        0 0 1
limits      -179.995 179.995
armature    0.1

[JOINT_6]
name        joint_6
type        hinge
bodies      forearm wrist_pitch
anchor      0 0 0.1545
axis        0 1 0
limits      -112.873 112.873
armature    0.1

[JOINT_7]
name        joint_7
type        hinge
bodies      wrist_pitch flange
anchor      0 0 0.1055
axis        0 0 1
limits      -179.995 179.995
armature    0.05

[JOINT_8]
name        wrist_plate
type        weld
bodies      flange palm
anchor      0 0 0.09

[JOINT_9]
name        left_finger
type        slide
bodies      palm left
anchor      0 0 0
axis        0 1 0
limits      -0.039 0.001
armature    0.5

[JOINT_10]
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
joints      joint_1 joint_2 joint_3 joint_4 joint_5 joint_6 joint_7
max_velocity 2.0
max_effort  370 370 176 176 41.6 20.1 9.6

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
