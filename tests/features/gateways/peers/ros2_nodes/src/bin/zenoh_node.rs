//! A node of ROS 2 over Zenoh by the crate `hiroz`: lists the graph, reads a scan, steps the simulation, and drives.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use hiroz::context::ZContextBuilder;
use hiroz::entity::{EndpointKind, Entity, TypeHash, TypeInfo};
use hiroz::msg::{SerdeCdrSerdes, ZMessage, ZService};
use hiroz::{Builder, MessageTypeInfo, ServiceTypeInfo};
use ros2_nodes::{Report, arguments};
use serde::{Deserialize, Serialize};

const PATIENCE: Duration = Duration::from_secs(20);
const STEPPING: &str = "/step_simulation";

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "builtin_interfaces/msg/Time")]
pub struct Time {
    pub sec: i32,
    pub nanosec: u32,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "std_msgs/msg/Header")]
pub struct Header {
    pub stamp: Time,
    pub frame_id: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "geometry_msgs/msg/Vector3")]
pub struct Vector3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "geometry_msgs/msg/Twist")]
pub struct Twist {
    pub linear: Vector3,
    pub angular: Vector3,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "sensor_msgs/msg/LaserScan")]
pub struct LaserScan {
    pub header: Header,
    pub angle_min: f32,
    pub angle_max: f32,
    pub angle_increment: f32,
    pub time_increment: f32,
    pub scan_time: f32,
    pub range_min: f32,
    pub range_max: f32,
    pub ranges: Vec<f32>,
    pub intensities: Vec<f32>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "simulation_interfaces/msg/Result")]
pub struct SimulationResult {
    pub result: u8,
    pub error_message: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "simulation_interfaces/srv/StepSimulation_Request")]
pub struct StepRequest {
    pub steps: u64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "simulation_interfaces/srv/StepSimulation_Response")]
pub struct StepResponse {
    pub result: SimulationResult,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "simulation_interfaces/msg/SimulationState")]
pub struct SimulationState {
    pub state: u8,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "simulation_interfaces/srv/SetSimulationState_Request")]
pub struct StateRequest {
    pub state: SimulationState,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, MessageTypeInfo)]
#[ros_msg(type_name = "simulation_interfaces/srv/SetSimulationState_Response")]
pub struct StateResponse {
    pub result: SimulationResult,
}

macro_rules! messages {
    ($($message:ident),*) => { $(impl ZMessage for $message { type Serdes = SerdeCdrSerdes<$message>; })* };
}

messages!(Time, Header, Vector3, Twist, LaserScan, SimulationResult, StepRequest, StepResponse, SimulationState, StateRequest, StateResponse);

/// Hashes of services as the graph tells them; those of messages are computed by the crate.
static STEP_TYPE: OnceLock<TypeInfo> = OnceLock::new();
static STATE_TYPE: OnceLock<TypeInfo> = OnceLock::new();

struct StepSimulation;

impl ServiceTypeInfo for StepSimulation {
    fn service_type_info() -> TypeInfo {
        STEP_TYPE.get().cloned().unwrap_or_else(|| TypeInfo::new("", TypeHash::zero()))
    }
}

impl ZService for StepSimulation {
    type Request = StepRequest;
    type Response = StepResponse;
}

struct SetSimulationState;

impl ServiceTypeInfo for SetSimulationState {
    fn service_type_info() -> TypeInfo {
        STATE_TYPE.get().cloned().unwrap_or_else(|| TypeInfo::new("", TypeHash::zero()))
    }
}

impl ZService for SetSimulationState {
    type Request = StateRequest;
    type Response = StateResponse;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let (place, domain) = arguments()?;
    let context = ZContextBuilder::default()
        .with_mode("client")
        .with_connect_endpoints([place.as_str()])
        .with_domain_id(domain)
        .build()?;
    let node = context.create_node("rust_zenoh").build()?;
    let graph = node.graph().clone();
    let mut report = Report::default();

    let publisher = node.create_pub::<Twist>("/robot1/cmd_vel").build()?;
    report.check("a reader of commands", publisher.wait_for_subscription(1, PATIENCE).await);
    let topics = graph.get_topic_names_and_types();
    for (name, kind) in &topics {
        println!("topic {name} {kind}");
    }
    for wanted in ["/clock", "/robot1/scan", "/robot1/odom", "/robot1/cmd_vel"] {
        report.check(wanted, topics.iter().any(|(name, _)| name == wanted));
    }
    report.check("node", graph.get_node_names().iter().any(|(name, _)| name == "coopsim"));
    for (service, known) in [(STEPPING, &STEP_TYPE), ("/set_simulation_state", &STATE_TYPE)] {
        let servers = graph.get_entities_by_service(EndpointKind::Service, service);
        let info = servers.iter().find_map(|server| match server.as_ref() {
            Entity::Endpoint(end) => end.type_info.clone(),
            Entity::Node(_) => None,
        });
        report.check(service, info.is_some());
        if let Some(info) = info {
            println!("service {service} {} {}", info.name, info.hash.to_rihs_string());
            let _ = known.set(info);
        }
    }

    let scans = node.create_sub::<LaserScan>("/robot1/scan").build()?;
    let scan = scans.recv_timeout(PATIENCE)?;
    println!("scan of {} at {} s", scan.ranges.len(), scan.header.stamp.sec);
    report.check("ranges", !scan.ranges.is_empty());

    let states = node.create_client::<SetSimulationState>("/set_simulation_state").build()?;
    let paused = StateRequest { state: SimulationState { state: 2 } };
    report.check("paused", states.call_with_timeout(&paused, PATIENCE).await?.result.result == 1);
    publisher.publish(&Twist { linear: Vector3 { x: 0.2, ..Vector3::default() }, ..Twist::default() })?;
    let stepping = node.create_client::<StepSimulation>(STEPPING).build()?;
    let stepped = stepping.call_with_timeout(&StepRequest { steps: 50 }, PATIENCE).await?;
    println!("stepped: {} {}", stepped.result.result, stepped.result.error_message);
    report.check("stepped", stepped.result.result == 1);
    report.end()
}
