# ROBOTIS TurtleBot3 Burger. Sources: the table "Hardware Specifications" of ROBOTIS' e-Manual (size, mass, speed), and
# the model of the robot in ROBOTIS' turtlebot3_simulations (track, place and noise of the scanner).
# Not as built: the real axle lies 32 mm before the middle of the hull. Wheels that run at 0.22 m/s turn it at
# 2.75 rad/s; the table says 2.84 rad/s.
[ROBOT]
summary     TurtleBot3 Burger: two wheels, a scanner of 360 rays, an inertial unit

[BODY]
type        box
size        0.138 0.178 0.192
mass        1

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.08
# stall torque of an XL430-W250 servo at 11.1 V, 1.4 N m, at a wheel of 33 mm
max_force   42
max_speed   0.22

# LDS-01
[DEVICE_2]
type        laser
name        scan
count       360
sector      359
reach       3.5
nearest     0.12
noise       0.01
rate        5
height      0.181
buffer      1

[DEVICE_3]
type        imu
name        imu

[DEVICE_4]
type        odometry
name        odometry
