# a lamp on a heavy post: it can be switched, dimmed and coloured
[ROBOT]
summary     lamp on a post, switched, dimmed and coloured by message

[BODY]
type        cylinder
size        0.2 0.2 1.2
mass        100
friction    1
wheels      no

[DEVICE_1]
type        lamp
name        lamp
paces       no
