"""Definitions of ROS 2 types that the gateway speaks, a type a line: its name, then its fields.

Source: common_interfaces, rcl_interfaces, tf2_msgs, action_msgs, trajectory_msgs and rmw_dds_common as of ROS 2 Jazzy;
simulation_interfaces 2.1. Constants are left out: neither bytes nor hashes depend on them.
"""

from typing import Final

MESSAGES: Final = """
builtin_interfaces/msg/Time: int32 sec, uint32 nanosec
builtin_interfaces/msg/Duration: int32 sec, uint32 nanosec
std_msgs/msg/Header: builtin_interfaces/Time stamp, string frame_id
std_msgs/msg/Float64: float64 data
std_msgs/msg/String: string data
std_msgs/msg/MultiArrayDimension: string label, uint32 size, uint32 stride
std_msgs/msg/MultiArrayLayout: MultiArrayDimension[] dim, uint32 data_offset
std_msgs/msg/Float64MultiArray: MultiArrayLayout layout, float64[] data
rosgraph_msgs/msg/Clock: builtin_interfaces/Time clock
geometry_msgs/msg/Vector3: float64 x, float64 y, float64 z
geometry_msgs/msg/Point: float64 x, float64 y, float64 z
geometry_msgs/msg/Quaternion: float64 x, float64 y, float64 z, float64 w
geometry_msgs/msg/Pose: Point position, Quaternion orientation
geometry_msgs/msg/Twist: Vector3 linear, Vector3 angular
geometry_msgs/msg/Accel: Vector3 linear, Vector3 angular
geometry_msgs/msg/Transform: Vector3 translation, Quaternion rotation
geometry_msgs/msg/PoseStamped: std_msgs/Header header, Pose pose
geometry_msgs/msg/PointStamped: std_msgs/Header header, Point point
geometry_msgs/msg/TwistStamped: std_msgs/Header header, Twist twist
geometry_msgs/msg/TransformStamped: std_msgs/Header header, string child_frame_id, Transform transform
geometry_msgs/msg/PoseWithCovariance: Pose pose, float64[36] covariance
geometry_msgs/msg/TwistWithCovariance: Twist twist, float64[36] covariance
tf2_msgs/msg/TFMessage: geometry_msgs/TransformStamped[] transforms
nav_msgs/msg/Odometry: std_msgs/Header header, string child_frame_id, geometry_msgs/PoseWithCovariance pose, \
geometry_msgs/TwistWithCovariance twist
sensor_msgs/msg/LaserScan: std_msgs/Header header, float32 angle_min, float32 angle_max, float32 angle_increment, \
float32 time_increment, float32 scan_time, float32 range_min, float32 range_max, float32[] ranges, float32[] intensities
sensor_msgs/msg/Imu: std_msgs/Header header, geometry_msgs/Quaternion orientation, float64[9] orientation_covariance, \
geometry_msgs/Vector3 angular_velocity, float64[9] angular_velocity_covariance, \
geometry_msgs/Vector3 linear_acceleration, float64[9] linear_acceleration_covariance
sensor_msgs/msg/JointState: std_msgs/Header header, string[] name, float64[] position, float64[] velocity, \
float64[] effort
rcl_interfaces/msg/Log: builtin_interfaces/Time stamp, uint8 level, string name, string msg, string file, \
string function, uint32 line
service_msgs/msg/ServiceEventInfo: uint8 event_type, builtin_interfaces/Time stamp, uint8[16] client_gid, \
int64 sequence_number
rmw_dds_common/msg/Gid: uint8[16] data
rmw_dds_common/msg/NodeEntitiesInfo: string<=256 node_namespace, string<=256 node_name, Gid[] reader_gid_seq, \
Gid[] writer_gid_seq
rmw_dds_common/msg/ParticipantEntitiesInfo: Gid gid, NodeEntitiesInfo[] node_entities_info_seq
"""
