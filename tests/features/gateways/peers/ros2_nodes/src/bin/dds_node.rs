//! A node of ROS 2 over DDS by the crate `ros2-client`: lists the graph, reads a scan, steps the simulation, and drives.

use std::error::Error;
use std::future::Future;
use std::net::Ipv4Addr;
use std::time::Duration;

use ros2_client::dds::rustdds::DomainParticipantBuilder;
use ros2_client::qos::WhenFull;
use ros2_client::{
    Context, Message, MessageTypeName, Name, Node, NodeName, NodeOptions, QosProfile, ServiceMapping, ServiceTypeName,
};
use ros2_nodes::{Report, arguments};
use serde::{Deserialize, Serialize};

const PATIENCE: Duration = Duration::from_secs(20);
const SIMULATION: &str = "simulation_interfaces";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Vector3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Twist {
    linear: Vector3,
    angular: Vector3,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct LaserScan {
    sec: i32,
    nanosec: u32,
    frame_id: String,
    angles_and_times: [f32; 5],
    range_min: f32,
    range_max: f32,
    ranges: Vec<f32>,
    intensities: Vec<f32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct StepRequest {
    steps: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct StateRequest {
    state: u8,
}

/// Response of both services.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct SimulationResult {
    result: u8,
    error_message: String,
}

impl Message for Twist {}
impl Message for LaserScan {}
impl Message for StepRequest {}
impl Message for StateRequest {}
impl Message for SimulationResult {}

type Failure = Box<dyn Error + Send + Sync>;

/// Return what comes of something, or say that it did not come in time.
async fn within<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::time::timeout(PATIENCE, work).await.map_err(|_| format!("{what}: nothing came in time").into())
}

/// Return the response of a service of the simulation.
async fn call<Q: Message + Clone + 'static>(
    node: &mut Node,
    name: &str,
    kind: &str,
    request: Q,
) -> Result<SimulationResult, Failure> {
    let quality = QosProfile::publisher_default();
    let client = node.create_client::<Q, SimulationResult>(
        ServiceMapping::Cyclone,
        &Name::new("/", name)?,
        &ServiceTypeName::new(SIMULATION, kind),
        quality.clone(),
        quality,
    )?;
    within(name, client.wait_for_service(node)).await?;
    Ok(within(name, client.async_call_service(request)).await??)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let (_, domain) = arguments()?;
    let participant =
        DomainParticipantBuilder::new(domain.try_into()?).with_only_networks([Ipv4Addr::LOCALHOST]).build()?;
    let context = Context::from_domain_participant(participant)?;
    let mut node = context.new_node(NodeName::new("/", "rust_dds")?, NodeOptions::new())?;
    tokio::spawn(node.spinner()?.spin());
    let mut report = Report::default();

    let quality = QosProfile::publisher_default().reliability_reliable(WhenFull::Wait(PATIENCE.into()));
    let commands =
        node.create_topic(&Name::new("/robot1", "cmd_vel")?, MessageTypeName::new("geometry_msgs", "Twist"), &quality)?;
    let publisher = node.create_publisher::<Twist>(&commands, None)?;
    within("a reader of commands", publisher.wait_for_subscription(&node)).await?;
    report.check("a reader of commands", true);

    let scan_topic = node.create_topic(
        &Name::new("/robot1", "scan")?,
        MessageTypeName::new("sensor_msgs", "LaserScan"),
        &QosProfile::subscription_default(),
    )?;
    let scans = node.create_subscription::<LaserScan>(&scan_topic, None)?;
    let (scan, _) = within("a scan", scans.async_take()).await??;
    println!("scan of {} at {} s", scan.ranges.len(), scan.sec);
    report.check("ranges", !scan.ranges.is_empty());

    let topics = context.discovered_topics();
    for topic in &topics {
        println!("topic {} {}", topic.name, topic.type_name);
    }
    for wanted in ["/clock", "/robot1/scan", "/robot1/odom", "/robot1/cmd_vel"] {
        report.check(wanted, topics.iter().any(|topic| topic.name == format!("rt{wanted}")));
    }

    let paused = call(&mut node, "set_simulation_state", "SetSimulationState", StateRequest { state: 2 }).await?;
    report.check("paused", paused.result == 1);
    let drive = Twist { linear: Vector3 { x: 0.2, ..Vector3::default() }, ..Twist::default() };
    publisher.async_publish(drive).await.map_err(|problem| format!("not published: {problem:?}"))?;
    let stepped = call(&mut node, "step_simulation", "StepSimulation", StepRequest { steps: 50 }).await?;
    println!("stepped: {} {}", stepped.result, stepped.error_message);
    report.check("stepped", stepped.result == 1);
    report.end()
}
