//! Servers at sockets of this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use super::*;

/// Answers as [`toggle`] does, until the other side closes the connection.
fn serve(stream: impl Read, mut answers: impl Write) {
    let machine = toggle();
    let mut state = machine.initial();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if line == "RESET" {
            state = machine.initial();
            answers.write_all(b"OK\n").unwrap();
            continue;
        }
        let input = machine.find_input(line.as_bytes()).unwrap();
        let (output, target) = machine.step(state, input).unwrap();
        answers.write_all(machine.output_text(output)).unwrap();
        answers.write_all(b"\n").unwrap();
        state = target;
    }
}

fn check(system: &mut dyn SystemUnderTest) {
    for _ in 0..10 {
        assert_eq!(
            observed(system, &["a", "b", "a", "a"]).unwrap(),
            ["0", "0", "1", "0"]
        );
        assert_eq!(observed(system, &["a"]).unwrap(), ["0"]);
    }
}

#[test]
fn servers_at_ports() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::Tcp(listener.local_addr().unwrap().to_string());
    let server = thread::spawn(move || {
        for _ in 0..1 + 20 {
            let stream = listener.accept().unwrap().0;
            serve(&stream, &stream);
        }
    });
    let mut protocol = acknowledged();
    // Each connection ends before the next begins.
    check(&mut Server::new(address.clone()).speaking(protocol.clone()));
    protocol.reset = Reset::Restart;
    protocol.start_timeout = Some(Duration::from_secs(1000));
    check(&mut Server::new(address).speaking(protocol));
    server.join().unwrap();
}

#[test]
fn servers_at_paths() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let server = thread::spawn(move || {
        let stream = listener.accept().unwrap().0;
        serve(&stream, &stream);
    });
    check(&mut Server::new(Address::Unix(path)).speaking(acknowledged()));
    server.join().unwrap();
}

#[test]
fn servers_that_are_not_there() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("socket");
    let address = Address::Unix(path);
    let expected = format!("cannot start a connection to {address}: ");
    let mut system = Server::new(address).speaking(acknowledged());
    let error = system.reset().unwrap_err();
    assert!(matches!(error, SystemError::Start { .. }));
    assert!(error.to_string().starts_with(&expected), "{error}");
    for name in ["localhost", "localhost:x"] {
        let mut system = Server::new(Address::Tcp(name.into())).speaking(acknowledged());
        assert!(
            matches!(system.reset().unwrap_err(), SystemError::Start { .. }),
            "{name}"
        );
    }
}

#[test]
fn servers_that_hang_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::Tcp(listener.local_addr().unwrap().to_string());
    let server = thread::spawn(move || {
        for _ in 0..2 {
            drop(listener.accept().unwrap());
        }
        let stream = listener.accept().unwrap().0;
        serve(&stream, &stream);
    });
    let expected = format!("{address} has closed the connection");
    let mut system = Server::new(address).speaking(acknowledged());
    for _ in 0..2 {
        assert_eq!(observed(&mut system, &["a"]).unwrap_err(), expected);
    }
    check(&mut system);
    drop(system);
    server.join().unwrap();
}
