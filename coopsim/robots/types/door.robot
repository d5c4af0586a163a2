# a sliding door: a heavy post that stands beside the opening, and a leaf that slides over it
[ROBOT]
summary     sliding door that opens by itself when something is near

[BODY]
type        box
size        0.12 0.12 0.6
mass        200
friction    1
wheels      no

[LINK_1]
name        leaf
type        box
size        0.08 1.1 0.5
mass        10
position    0 -0.64 0.05

[JOINT_1]
name        leaf
type        slide
bodies      base leaf
axis        0 1 0
limits      0 1.1

[DEVICE_1]
type        slide
name        leaf
max_effort  200
max_velocity 1

[DEVICE_2]
type        presence
name        presence

[DEVICE_3]
type        simulation_time
name        time

[DEVICE_4]
type        automatic_door
name        driver
