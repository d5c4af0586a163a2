# a small car: it cannot turn on the spot; its narrowest circle has a radius of 0.58 m at the rear axle
[ROBOT]
summary     steers as cars do (Ackermann), with sixteen sonars all around

[BODY]
type        box
size        0.6 0.36 0.22
mass        15

[DEVICE_1]
type        car_drive
name        motors

[DEVICE_2]
type        sonars
name        sonars
count       16
sector      337.5
reach       3

[DEVICE_3]
type        target
name        target

[DEVICE_4]
type        drive_odometry
name        odometry

[DEVICE_5]
type        bumpers
name        bumpers
