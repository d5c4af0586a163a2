# the robot of the Robotarium, by the figures of its simulator 2.1: 0.11 m wide, wheels 0.11 m apart that turn 0.2 m/s at
# most; its motion capture system is the tracker
[ROBOT]
summary     GTernal of the Robotarium: two wheels, encoders, IMU; its distance sensors are off

# hardly any mass and strong motors: its wheels turn as commanded within a tick, as the simulator of the Robotarium has it
[BODY]
type        cylinder
size        0.11 0.11 0.1
mass        0.3

[DEVICE_1]
type        differential_drive
name        motors
half_track  0.055
max_force   1000
max_speed   0.2
gain        1000000
grip        10

[DEVICE_2]
type        pose
name        tracker

# a quarter of a count of 28 * 100.37 on a turn of a wheel of 0.016 m, per root of a count
[DEVICE_3]
type        odometry
name        encoders
noise       0.0015

[DEVICE_4]
type        imu
name        imu
noise_acceleration 0.0129
noise_rate  0.0024
