//! Answers the lines of docs/conformance.md, for `coopsim conformance client`.

use coopsim::{decode, encode, Client, Error, Message, Param, Stepper};
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let mut client = None;
    let mut others = Others { current: "main".to_string(), clients: HashMap::new() };
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split('\t').collect();
        let told = answer(&mut client, &mut others, &words).unwrap_or_else(|problem| failure(&problem));
        writeln!(out, "{}", told.join("\t"))?;
        out.flush()?;
    }
    Ok(())
}

/// The clients that are not in use.
struct Others {
    current: String,
    clients: HashMap<String, Option<Client>>,
}

fn answer(client: &mut Option<Client>, others: &mut Others, words: &[&str]) -> Result<Vec<String>, Error> {
    Ok(match words {
        ["decode", raw] => {
            let m = decode(&from_hex(raw))?;
            let (id, target, tick) = (whole(m.id), text(&m.target), whole(m.tick));
            let (error, why, command) = (whole(m.error), text(&m.text), whole(m.command));
            vec!["message".into(), id, target, tick, error, why, command, params(&m.params), data(&m.data)]
        }
        ["encode", id, target, tick, command, params, data, run] => {
            let (id, tick, command, run) = (natural(id), natural(tick), natural(command), natural(run));
            let (target, params, data) = (string(target), values(params), floats(data));
            let message = Message { id, target, tick, command, params, data, run, ..Default::default() };
            vec!["bytes".into(), hex(&encode(&message))]
        }
        ["connect", address, seconds] => {
            *client = None;
            let timeout = Duration::from_secs_f64(seconds.parse().unwrap_or(5.0));
            let connected = client.insert(Client::connect(address, timeout)?);
            vec!["connected".into(), whole(connected.run)]
        }
        #[cfg(feature = "tls")]
        ["tls", address, seconds, own, server] => {
            *client = None;
            let timeout = Duration::from_secs_f64(seconds.parse().unwrap_or(5.0));
            let keys = coopsim::Keys::read(own, server)?;
            let connected = client.insert(Client::connect_with_keys(address, timeout, keys)?);
            vec!["connected".into(), whole(connected.run)]
        }
        ["ask", target, command, params, data] => {
            let sim = connected(client)?;
            told("reply", sim.ask(&string(target), natural(command), &values(params), &floats(data))?)
        }
        ["within", seconds, target, command, params, data] => {
            let timeout = Duration::from_secs_f64(seconds.parse().unwrap_or(5.0));
            let (target, params, data) = (string(target), values(params), floats(data));
            told("reply", connected(client)?.ask_within(timeout, &target, natural(command), &params, &data)?)
        }
        ["reconnect"] => {
            let sim = connected(client)?;
            sim.reconnect()?;
            vec!["connected".into(), whole(sim.run)]
        }
        ["use", name] => {
            let current = std::mem::replace(&mut others.current, name.to_string());
            others.clients.insert(current, client.take());
            *client = others.clients.remove(*name).flatten();
            vec!["using".into(), name.to_string()]
        }
        ["steps", count, robots] => {
            let (sim, robots) = (connected(client)?, robots.split_whitespace().map(string).collect::<Vec<_>>());
            let names: Vec<&str> = robots.iter().map(String::as_str).collect();
            let mut stepper = Stepper::new(sim, &names)?;
            let began = Instant::now();
            for _ in 0..natural(count) {
                for name in &names {
                    stepper.set_differential_drive(name, 0.25, 0.125)?;
                }
                let seen = stepper.step(sim)?;
                for name in &names {
                    if seen.sonars(name)?.ranges.is_empty() || seen.differential_drive(name)?.v > 1.0 {
                        return Err(Error::Malformed(format!("{name} sees nothing, or is too fast")));
                    }
                }
            }
            let seconds = began.elapsed().as_secs_f64();
            stepper.close(sim)?;
            vec!["time".into(), float(seconds)]
        }
        ["time", count, target, command, params, data] => {
            let (sim, target, command) = (connected(client)?, string(target), natural(command));
            let (params, data) = (values(params), floats(data));
            let began = Instant::now();
            for _ in 0..natural(count) {
                sim.ask(&target, command, &params, &data)?;
            }
            vec!["time".into(), float(began.elapsed().as_secs_f64())]
        }
        ["state"] => {
            let state = connected(client)?.state()?;
            let topic = text(&state.target);
            let mut words = told("state", state);
            words.insert(1, topic);
            words
        }
        ["close"] => {
            *client = None;
            vec!["closed".into()]
        }
        _ => vec!["unsupported".into()],
    })
}

fn connected(client: &mut Option<Client>) -> Result<&mut Client, Error> {
    client.as_mut().ok_or_else(|| Error::Lost("there is no connection".into()))
}

fn told(word: &str, m: Message) -> Vec<String> {
    vec![word.into(), whole(m.tick), params(&m.params), data(&m.data)]
}

fn failure(problem: &Error) -> Vec<String> {
    let said = problem.to_string();
    match problem {
        Error::Refused { number, params: told, .. } => vec!["refused".into(), whole(*number), params(told), said],
        Error::Silent => vec!["silent".into(), said],
        Error::Lost(_) => vec!["lost".into(), said],
        _ => vec!["malformed".into(), said],
    }
}

fn hex(raw: &[u8]) -> String {
    raw.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

fn whole(value: u64) -> String {
    format!("i:{value}")
}

fn text(value: &str) -> String {
    format!("s:{}", hex(value.as_bytes()))
}

fn float(value: f64) -> String {
    format!("f:{:016x}", value.to_bits())
}

fn params(values: &[Param]) -> String {
    let word = |value: &Param| match value {
        Param::Int(number) => format!("i:{number}"),
        Param::Float(number) => float(*number),
        Param::Text(string) => text(string),
    };
    values.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn data(values: &[f64]) -> String {
    values.iter().map(|value| float(*value)).collect::<Vec<_>>().join(" ")
}

fn value(word: &str) -> Param {
    match word.split_at(2) {
        ("s:", rest) => Param::Text(String::from_utf8_lossy(&from_hex(rest)).into_owned()),
        ("f:", rest) => Param::Float(f64::from_bits(u64::from_str_radix(rest, 16).unwrap_or(0))),
        (_, rest) => Param::Int(rest.parse().unwrap_or(0)),
    }
}

fn values(list: &str) -> Vec<Param> {
    list.split_whitespace().map(value).collect()
}

fn floats(list: &str) -> Vec<f64> {
    let number = |word| match value(word) {
        Param::Float(value) => value,
        Param::Int(value) => value as f64,
        Param::Text(_) => f64::NAN,
    };
    list.split_whitespace().map(number).collect()
}

fn natural(word: &str) -> u64 {
    word.trim_start_matches("i:").parse().unwrap_or(0)
}

fn string(word: &str) -> String {
    match value(word) {
        Param::Text(string) => string,
        other => other.to_string(),
    }
}
