"""Types of ROS 1 that the gateways' table and services name, as the packages of ROS define them.

Source: common_msgs 1.13 (geometry_msgs, nav_msgs, sensor_msgs), tf2_msgs 0.7, std_srvs 1.11, gazebo_msgs of
gazebo_ros_pkgs; `coopsim_msgs` are our own.
"""

from typing import Final

from coopsim.features.ros1 import MessageTypes

_MESSAGES: Final = {
    "geometry_msgs/Transform": "Vector3 translation\nQuaternion rotation",
    "geometry_msgs/TransformStamped": "Header header\nstring child_frame_id\nTransform transform",
    "geometry_msgs/TwistStamped": "Header header\nTwist twist",
    "geometry_msgs/PointStamped": "Header header\nPoint point",
    "geometry_msgs/PoseWithCovariance": "Pose pose\nfloat64[36] covariance",
    "geometry_msgs/TwistWithCovariance": "Twist twist\nfloat64[36] covariance",
    "nav_msgs/Odometry": (
        "Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist"
    ),
    "sensor_msgs/LaserScan": (
        "Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\nfloat32 time_increment\n"
        "float32 scan_time\nfloat32 range_min\nfloat32 range_max\nfloat32[] ranges\nfloat32[] intensities"
    ),
    "sensor_msgs/Imu": (
        "Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
        "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
        "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance"
    ),
    "sensor_msgs/JointState": (
        "Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
    ),
    "sensor_msgs/NavSatStatus": (
        "int8 STATUS_NO_FIX=-1\nint8 STATUS_FIX=0\nint8 STATUS_SBAS_FIX=1\nint8 STATUS_GBAS_FIX=2\nint8 status\n"
        "uint16 SERVICE_GPS=1\nuint16 SERVICE_GLONASS=2\nuint16 SERVICE_COMPASS=4\nuint16 SERVICE_GALILEO=8\n"
        "uint16 service"
    ),
    "sensor_msgs/NavSatFix": (
        "Header header\nNavSatStatus status\nfloat64 latitude\nfloat64 longitude\nfloat64 altitude\n"
        "float64[9] position_covariance\nuint8 COVARIANCE_TYPE_UNKNOWN=0\nuint8 COVARIANCE_TYPE_APPROXIMATED=1\n"
        "uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\nuint8 COVARIANCE_TYPE_KNOWN=3\nuint8 position_covariance_type"
    ),
    "sensor_msgs/RegionOfInterest": ("uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify"),
    "sensor_msgs/CameraInfo": (
        "Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] D\nfloat64[9] K\n"
        "float64[9] R\nfloat64[12] P\nuint32 binning_x\nuint32 binning_y\nRegionOfInterest roi"
    ),
    "sensor_msgs/Image": (
        "Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data"
    ),
    "geometry_msgs/Wrench": "Vector3 force\nVector3 torque",
    "geometry_msgs/WrenchStamped": "Header header\nWrench wrench",
    "gazebo_msgs/ContactState": (
        "string info\nstring collision1_name\nstring collision2_name\ngeometry_msgs/Wrench[] wrenches\n"
        "geometry_msgs/Wrench total_wrench\ngeometry_msgs/Vector3[] contact_positions\n"
        "geometry_msgs/Vector3[] contact_normals\nfloat64[] depths"
    ),
    "gazebo_msgs/ContactsState": "Header header\ngazebo_msgs/ContactState[] states",
    "trajectory_msgs/JointTrajectoryPoint": (
        "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\nduration time_from_start"
    ),
    "trajectory_msgs/JointTrajectory": ("Header header\nstring[] joint_names\nJointTrajectoryPoint[] points"),
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms",
    "gazebo_msgs/ModelState": (
        "string model_name\ngeometry_msgs/Pose pose\ngeometry_msgs/Twist twist\nstring reference_frame"
    ),
}
_DONE = "bool success\nstring status_message"
_SERVICES: Final = {
    "std_srvs/Empty": "---",
    "gazebo_msgs/DeleteModel": f"string model_name\n---\n{_DONE}",
    "gazebo_msgs/GetWorldProperties": (f"---\nfloat64 sim_time\nstring[] model_names\nbool rendering_enabled\n{_DONE}"),
    "gazebo_msgs/GetModelState": (
        "string model_name\nstring relative_entity_name\n---\nHeader header\ngeometry_msgs/Pose pose\n"
        f"geometry_msgs/Twist twist\n{_DONE}"
    ),
    "gazebo_msgs/SetModelState": f"gazebo_msgs/ModelState model_state\n---\n{_DONE}",
    "coopsim_msgs/Spawn": "string section\n---\nstring[] names",
    "coopsim_msgs/Step": "int64 count\n---\nint64 tick\nfloat64 time",
    "coopsim_msgs/Call": "string target\nstring command\nstring[] values\n---\nstring[] values",
    "coopsim_msgs/GetParameter": "string target\nstring name\n---\nstring value",
    "coopsim_msgs/SetParameter": "string target\nstring name\nstring value\n---\nstring value",
}


def gateway_types() -> MessageTypes:
    """Return all types that the gateway publishes, reads and serves."""
    types = MessageTypes()
    for name, text in _MESSAGES.items():
        types.add(name, text)
    for name, text in _SERVICES.items():
        types.add_service(name, text)
    return types
