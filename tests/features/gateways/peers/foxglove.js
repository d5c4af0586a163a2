// A program of Foxglove's own client: it lists what there is, drives a robot and reads its scans. Argument: the server.
import protocol from "@foxglove/ws-protocol";
import { WebSocket } from "ws";

const client = new protocol.FoxgloveClient({ ws: new WebSocket(process.argv[2], ["foxglove.sdk.v1"]) });
const seen = { name: "", topics: {}, time: 0, bytes: 0, parameters: [] };
let driving;

client.on("error", (problem) => {
  console.error(problem);
  process.exit(1);
});
client.on("serverInfo", (info) => {
  seen.name = info.name;
  driving = client.advertise({ topic: "/robot1/cmd_vel", encoding: "json", schemaName: "geometry_msgs/msg/Twist" });
  client.getParameters([], "all");
});
client.on("advertise", (channels) => {
  for (const channel of channels) {
    seen.topics[channel.topic] = channel.schemaName;
    if (channel.topic === "/robot1/scan") client.subscribe(channel.id);
  }
});
client.on("parameterValues", ({ parameters }) => {
  seen.parameters = parameters.map(({ name }) => name);
});
client.on("time", ({ timestamp }) => {
  seen.time = Number(timestamp);
});
client.on("message", ({ data }) => {
  seen.bytes = data.byteLength;
  client.sendMessage(driving, new TextEncoder().encode(JSON.stringify({ linear: { x: 0.2 }, angular: { z: 0 } })));
  if (seen.time > 0 && seen.parameters.length > 0) console.log(JSON.stringify(seen));
});
