// A node of the real ROS: drives a robot by cmd_vel, reads its sonars and its pose, and says what it got.
#include <ros/ros.h>
#include <std_msgs/Float64MultiArray.h>

#include <cstdio>
#include <cstring>
#include <vector>

struct Twist {
  double v[6];
};

struct Raw {  // whatever a topic carries
  std::vector<uint8_t> bytes;
};

namespace ros {
namespace message_traits {
template <> struct MD5Sum<Twist> {
  static const char* value() { return "9f195f881246fdfa2798d1d3eebca84a"; }
  static const char* value(const Twist&) { return value(); }
};
template <> struct DataType<Twist> {
  static const char* value() { return "geometry_msgs/Twist"; }
  static const char* value(const Twist&) { return value(); }
};
template <> struct Definition<Twist> {
  static const char* value() { return "Vector3 linear\nVector3 angular\n"; }
  static const char* value(const Twist&) { return value(); }
};
template <> struct MD5Sum<Raw> {
  static const char* value() { return "*"; }
  static const char* value(const Raw&) { return value(); }
};
template <> struct DataType<Raw> {
  static const char* value() { return "*"; }
  static const char* value(const Raw&) { return value(); }
};
}  // namespace message_traits
namespace serialization {
template <> struct Serializer<Twist> {
  template <typename Stream> static void write(Stream& stream, const Twist& it) {
    for (double each : it.v) stream.next(each);
  }
  static uint32_t serializedLength(const Twist&) { return 48; }
};
template <> struct Serializer<Raw> {
  template <typename Stream> static void read(Stream& stream, Raw& it) {
    const uint32_t size = stream.getLength();
    it.bytes.assign(stream.getData(), stream.getData() + size);
    stream.advance(size);
  }
};
}  // namespace serialization
}  // namespace ros

static bool has_sonars = false, is_there = false;

static void sonars(const std_msgs::Float64MultiArray::ConstPtr& came) {
  if (!has_sonars) std::printf("sonars %zu %.3f\n", came->data.size(), came->data.at(5));
  has_sonars = true;
}

static void pose(const boost::shared_ptr<Raw const>& came) {
  const size_t frame = 4 + 8 + 4;  // seq, stamp, length of the name of the frame
  double x = 0.0;
  std::memcpy(&x, came->bytes.data() + frame + 5, sizeof x);
  if (x > 0.2 && !is_there) std::printf("%.5s %zu at %.1f\n", came->bytes.data() + frame, came->bytes.size(), x);
  is_there = is_there || x > 0.2;
}

int main(int count, char** words) {
  ros::init(count, words, "peer", ros::init_options::NoSigintHandler);
  ros::NodeHandle node;
  ros::Publisher twists = node.advertise<Twist>("/ann/cmd_vel", 10);
  ros::Subscriber first = node.subscribe("/ann/sonars", 10, sonars);
  ros::Subscriber second = node.subscribe("/ann/pose", 10, pose);
  while (ros::ok() && !(has_sonars && is_there)) {
    Twist wanted = {{0.4, 0.0, 0.0, 0.0, 0.0, 0.0}};
    twists.publish(wanted);
    ros::WallDuration(0.02).sleep();
    ros::spinOnce();
  }
  std::printf("done\n");
  return 0;
}
