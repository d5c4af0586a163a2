//! Tests that need no simulation: a server that this file plays answers.

use coopsim::error_codes::{NO_SUCH_NAME, STALE_LAYOUT};
use coopsim::{decode, encode, Client, Clock, DifferentialDrive, Error, Joints, Message, Param, Sonars, Stepper};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{channel, Receiver};
use std::thread;
use std::time::Duration;

/// Return a client of a server that answers PING with a run, and all else as a function says, and its requests.
fn serve(mut answer: impl FnMut(&Message) -> Message + Send + 'static) -> (Client, Receiver<Message>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (requests, asked) = channel();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        while let Some(request) = receive(&mut socket) {
            let is_ping = request.command == 0;
            let mut reply = if is_ping { message(&["clock".into(), 77.into()], &[1.0, 0.0]) } else { answer(&request) };
            (reply.id, reply.tick) = (request.id, 5);
            let raw = encode(&reply);
            socket.write_all(&(raw.len() as u32).to_be_bytes()).unwrap();
            socket.write_all(&raw).unwrap();
            if !is_ping {
                requests.send(request).ok();
            }
        }
    });
    (Client::connect(&address, Duration::from_secs(30)).unwrap(), asked)
}

fn receive(socket: &mut TcpStream) -> Option<Message> {
    let mut head = [0; 4];
    socket.read_exact(&mut head).ok()?;
    let mut raw = vec![0; u32::from_be_bytes(head) as usize];
    socket.read_exact(&mut raw).ok()?;
    decode(&raw).ok()
}

fn message(params: &[Param], data: &[f64]) -> Message {
    Message { params: params.to_vec(), data: data.to_vec(), ..Default::default() }
}

#[test]
fn a_command_sends_its_number_and_values_in_order() {
    let (mut sim, asked) = serve(|_| message(&[], &[]));
    assert_eq!(DifferentialDrive::new("/robot1/motors").set_velocity(&mut sim, 0.5, 0.25).unwrap(), 5);
    let request = asked.recv().unwrap();
    assert_eq!((request.target.as_str(), request.command), ("/robot1/motors", 10));
    assert_eq!(request.data, [0.5, 0.25]);
}

#[test]
fn readings_have_names_and_runs_of_one_length_share_what_came() {
    let (mut sim, _) = serve(|_| message(&[], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let seen = Joints::new("/arm/arm").state(&mut sim).unwrap();
    assert_eq!((seen.tick, seen.positions, seen.efforts), (5, vec![1.0, 2.0], vec![5.0, 6.0]));
}

#[test]
fn too_few_values_and_wrong_types_are_no_readings() {
    let (mut sim, _) = serve(|_| message(&["lockstep".into()], &[]));
    assert!(matches!(Clock::default().status(&mut sim), Err(Error::Malformed(_))));
    assert!(matches!(Sonars::new("/robot1/sonars").get_reach(&mut sim), Err(Error::Malformed(_))));
}

#[test]
fn a_refusal_has_a_number_with_a_name() {
    let (mut sim, _) = serve(|_| Message { error: NO_SUCH_NAME, ..Default::default() });
    let refused = Sonars::new("/robotX/sonars").ranges(&mut sim);
    assert!(matches!(refused, Err(Error::Refused { number: NO_SUCH_NAME, .. })));
}

#[test]
fn a_stale_layout_is_asked_for_again() {
    let mut generation = 0;
    let (mut sim, _) = serve(move |request| match request.command {
        10 => {
            generation += 1;
            let types = r#"{"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]], "takes_length": 2,
                "gives": [["sonars", "ranges", "m", 0, 2]], "gives_length": 2}}"#;
            let page = format!(r#"{{"generation": {generation}, "types": {types}, "robots": [["robot1", "t"]]}}"#);
            message(&[page.as_str().into()], &[])
        }
        11 if request.params[0] == 1.into() => Message { error: STALE_LAYOUT, ..Default::default() },
        _ => message(&[2.into()], &[1.0, 2.0]),
    });
    let mut stepper = Stepper::new(&mut sim, &[]).unwrap();
    assert!(stepper.put("robot1", "motors", "v", &[1.0, 2.0]).is_err());
    stepper.set_differential_drive("robot1", 0.3, 0.1).unwrap();
    let seen = stepper.step(&mut sim).unwrap();
    assert_eq!(seen.sonars("robot1").unwrap().ranges, [1.0, 2.0]);
    assert!(matches!(seen.gps("robot1"), Err(Error::Malformed(_))));
    stepper.close(&mut sim).unwrap();
}

#[test]
fn events_and_states_have_names() {
    let params = [4.into(), "/a".into(), "x".into(), "hi".into(), 8.into(), 2.into()];
    let params = [&params[..], &["/b".into(), "y".into(), "".into(), 9.into(), 0.into()]].concat();
    let events = coopsim::events_of(&message(&params, &[1.0, 2.0])).unwrap();
    assert_eq!((events[0].number, events[0].text.as_str(), &events[0].data[..]), (4, "hi", &[1.0, 2.0][..]));
    assert_eq!((events[1].number, events[1].topic.as_str(), events[1].data.len()), (5, "/b", 0));
    let params = [7.into(), 1.into(), 2.into(), "free".into(), 0.into(), 1.into(), 1.into(), 1.into()];
    let params = [&params[..], &["box".into(), "robot1".into(), 2.into()]].concat();
    let state = coopsim::state_of(&message(&params, &[0.5, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0, 4.0])).unwrap();
    assert!(state.has_ended && !state.is_paused);
    assert_eq!(
        (state.names[0].as_str(), state.poses[0][6], &state.readings["robot1"][..]),
        ("box", 6.0, &[3.0, 4.0][..])
    );
}

#[test]
fn messages_that_tell_no_events_and_no_state_are_malformed() {
    for count in [(-1).into(), 3.into(), i64::MAX.into(), "two".into()] {
        let count: Param = count;
        let events = message(&[4.into(), "/a".into(), "x".into(), "hi".into(), 8.into(), count.clone()], &[1.0, 2.0]);
        assert!(matches!(coopsim::events_of(&events), Err(Error::Malformed(_))), "{count}");
        let params = [7.into(), 1.into(), 2.into(), "free".into(), 0.into(), 1.into(), count, 0.into(), "box".into()];
        assert!(matches!(coopsim::state_of(&message(&params, &[0.5])), Err(Error::Malformed(_))));
    }
    assert!(matches!(coopsim::state_of(&message(&[], &[])), Err(Error::Malformed(_))));
}
