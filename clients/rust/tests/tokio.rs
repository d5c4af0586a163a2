//! Tests of the client on tokio: a server that this file plays answers when and as it likes.

use coopsim::error_codes::NO_SUCH_NAME;
use coopsim::tokio::Client;
use coopsim::{decode, encode, DifferentialDrive, Error, Message, Param, Sonars};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const LONG: Duration = Duration::from_secs(30);

async fn receive(socket: &mut TcpStream) -> Message {
    receive_for_run(socket).await.0
}

/// Return a request, and whether it is for one run alone: then a tenth field says its number.
async fn receive_for_run(socket: &mut TcpStream) -> (Message, bool) {
    let mut raw = vec![0; socket.read_u32().await.unwrap() as usize];
    socket.read_exact(&mut raw).await.unwrap();
    (decode(&raw).unwrap(), raw[0] == 0x9a && raw.ends_with(&[77]))
}

async fn send(socket: &mut TcpStream, message: &Message) {
    let raw = encode(message);
    socket.write_u32(raw.len() as u32).await.unwrap();
    socket.write_all(&raw).await.unwrap();
}

fn reply(request: &Message, data: &[f64]) -> Message {
    Message { id: request.id, tick: 5, data: data.to_vec(), ..Default::default() }
}

/// Return a client and the other side of its connection.
async fn pair() -> (Client, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        let ping = receive(&mut socket).await;
        let run = vec![Param::from("clock"), Param::Int(77)];
        send(&mut socket, &Message { params: run, ..reply(&ping, &[1.0, 0.0]) }).await;
        socket
    };
    let (sim, socket) = tokio::join!(Client::connect(&address, LONG), server);
    (sim.unwrap(), socket)
}

#[tokio::test]
async fn requests_under_way_at_once_get_their_own_replies_in_any_order() {
    let (sim, mut socket) = pair().await;
    assert_eq!(sim.run(), 77);
    let (sonars, drive) = (Sonars::new("/robot1/sonars"), DifferentialDrive::new("/robot1/motors"));
    let server = async {
        let ((first, is_for_run), second) = (receive_for_run(&mut socket).await, receive(&mut socket).await);
        assert!(is_for_run);
        assert_eq!(second.data, [0.5, 0.25]);
        send(&mut socket, &reply(&second, &[])).await;
        send(&mut socket, &reply(&first, &[1.0, 2.0])).await;
    };
    let (ranges, tick, ()) =
        tokio::join!(sim.call(|sim| sonars.ranges(sim)), sim.call(|sim| drive.set_velocity(sim, 0.5, 0.25)), server);
    assert_eq!((ranges.unwrap().ranges, tick.unwrap()), (vec![1.0, 2.0], 5));
}

#[tokio::test]
async fn who_waits_no_longer_is_forgotten_and_the_connection_stays() {
    let (sim, mut socket) = pair().await;
    let impatient = sim.within(Duration::from_millis(20));
    assert!(matches!(impatient.ask("/robot1/sonars", 10, &[], &[]).await, Err(Error::Silent)));
    tokio::select! {
        biased;
        _ = sim.ask("/robot1/sonars", 10, &[], &[]) => panic!("nobody has answered"),
        _ = async { receive(&mut socket).await; receive(&mut socket).await } => {}
    }
    let server = async {
        let request = receive(&mut socket).await;
        send(&mut socket, &Message { id: request.id - 1, ..Default::default() }).await; // too late
        socket.write_u32(0).await.unwrap(); // a probe
        send(&mut socket, &Message { error: NO_SUCH_NAME, ..reply(&request, &[]) }).await;
    };
    let (refused, ()) = tokio::join!(sim.ask("/robotX/sonars", 10, &[], &[]), server);
    assert!(matches!(refused, Err(Error::Refused { number: NO_SUCH_NAME, .. })));
}

#[tokio::test]
async fn states_wait_and_the_oldest_go_first_when_there_are_too_many() {
    let (sim, mut socket) = pair().await;
    for tick in 0..70 {
        send(&mut socket, &Message { tick, target: "/robot1".to_string(), ..Default::default() }).await;
    }
    let server = async {
        let request = receive(&mut socket).await;
        send(&mut socket, &reply(&request, &[])).await;
    };
    let (all_came, ()) = tokio::join!(sim.ask("/sim/clock", 10, &[], &[]), server);
    all_came.unwrap();
    assert_eq!(sim.state().await.unwrap().tick, 6);
}

#[tokio::test]
async fn all_who_wait_learn_that_the_server_is_gone_or_sends_nonsense() {
    let (sim, socket) = pair().await;
    let (ours, theirs, ()) = tokio::join!(sim.ask("/robot1/sonars", 10, &[], &[]), sim.state(), async { drop(socket) });
    assert!(matches!((ours, theirs), (Err(Error::Lost(_)), Err(Error::Lost(_)))));
    assert!(matches!(sim.ask("/robot1/sonars", 10, &[], &[]).await, Err(Error::Lost(_))));
    let (sim, mut socket) = pair().await;
    let nonsense = async { socket.write_u32(1 << 21).await.unwrap() };
    let (outcome, ()) = tokio::join!(sim.ask("/robot1/sonars", 10, &[], &[]), nonsense);
    assert!(matches!(outcome, Err(Error::Malformed(_))));
}

#[tokio::test]
async fn a_module_that_lives_elsewhere_is_asked_there() {
    let (sim, mut socket) = pair().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = async {
        let request = receive(&mut socket).await;
        let params = vec!["/robot1/sonars".into(), Param::Text(format!("tcp://0.0.0.0:{port}"))];
        send(&mut socket, &Message { error: 207, params, ..reply(&request, &[]) }).await;
        let (mut there, _) = listener.accept().await.unwrap();
        for distance in [1.0, 2.0] {
            let (request, is_for_run) = receive_for_run(&mut there).await;
            assert!(!is_for_run);
            send(&mut there, &reply(&request, &[distance])).await;
        }
    };
    let program = async {
        let first = sim.ask("/robot1/sonars", 10, &[], &[]).await.unwrap();
        (first.data, sim.ask("/robot1/sonars", 10, &[], &[]).await.unwrap().data)
    };
    let (distances, ()) = tokio::join!(program, server);
    assert_eq!(distances, (vec![1.0], vec![2.0]));
}
