# a camera on a heavy post: it belongs to no robot, and tells which robots it sees
[ROBOT]
summary     camera on a post that tells which robots it sees

[BODY]
type        box
size        0.16 0.16 0.6
mass        200
friction    1
wheels      no

[DEVICE_1]
type        target
name        camera
reach       6
field       90
occlusion   1
