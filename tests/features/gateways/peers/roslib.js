// A program of roslibjs: it drives a robot and reads its odometry. Argument: where a rosbridge answers.
import * as ROSLIB from "roslib";

const ros = new ROSLIB.Ros({ url: process.argv[2] });
const named = (name, type) => new ROSLIB.Topic({ ros, name, messageType: type });

async function topicsWith(name) {
  for (;;) {
    const { topics } = await new Promise((resolve, reject) => ros.getTopics(resolve, reject));
    if (topics.includes(name)) return topics;
  }
}

ros.on("error", (problem) => {
  console.error(problem);
  process.exit(1);
});
ros.on("connection", async () => {
  const topics = await topicsWith("/robot1/odom");
  const driving = named("/robot1/cmd_vel", "geometry_msgs/Twist");
  const odometry = named("/robot1/odom", "nav_msgs/Odometry");
  const speed = await new Promise((resolve) => {
    odometry.subscribe((message) => {
      driving.publish({ linear: { x: 0.2, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } });
      if (message.twist.twist.linear.x > 0.1) resolve(message.twist.twist.linear.x);
    });
  });
  const asked = new ROSLIB.Service({
    ros,
    name: "/gazebo/get_model_state",
    serviceType: "gazebo_msgs/GetModelState",
  });
  const state = await new Promise((resolve, reject) => asked.callService({ model_name: "robot1" }, resolve, reject));
  console.log(JSON.stringify({ topics, speed, x: state.pose.position.x, success: state.success }));
  process.exit(0);
});
