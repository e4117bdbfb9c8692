//! What processes of a run say first on each socket, and whether that is equal.

use std::fmt;
use std::io::{self, Read, Write};

/// Begins what is said first.
const MAGIC: [u8; 8] = *b"HYADCLUS";

/// Goes up when what is said on sockets changes.
const VERSION: u32 = 2;

/// How many bytes a [`Hello`] has.
pub(super) const LENGTH: usize = 58;

/// What has to be equal at all processes of a run, besides its number and how many they are:
/// hashes, so that nothing is told to those that do not know them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fingerprint {
    /// Of the program: its version and what it was built from.
    pub program: u64,
    /// Of the arguments.
    pub arguments: u64,
    /// Of the sizes and time stamps of inputs.
    pub input: u64,
}

/// What a socket is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Socket {
    /// Packets.
    Data,
    /// Signs of life.
    Life,
}

/// What is said first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hello {
    pub run: u64,
    pub index: u32,
    /// The process that it is for.
    pub to: u32,
    pub processes: u32,
    pub socket: Socket,
    /// None if the process fails, and comes to tell why.
    pub fingerprint: Option<Fingerprint>,
}

/// What comes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// The socket is taken.
    Welcome,
    /// The other one is of another run.
    OtherRun,
    /// Something that has to be equal is not.
    Unequal,
    /// A process of this number is here already, or none of it is awaited here.
    NotAwaited,
}

/// Why what came first is no [`Hello`].
#[derive(Debug)]
pub(super) enum NoHello {
    /// It could not be read.
    Io(io::Error),
    /// It is something else.
    Stray,
    /// It is of a process that speaks another version.
    Version(u32),
}

impl Hello {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.run.to_le_bytes());
        bytes.extend_from_slice(&self.index.to_le_bytes());
        bytes.extend_from_slice(&self.to.to_le_bytes());
        bytes.extend_from_slice(&self.processes.to_le_bytes());
        bytes.push(match self.socket {
            Socket::Data => 0,
            Socket::Life => 1,
        });
        bytes.push(u8::from(self.fingerprint.is_some()));
        let Fingerprint {
            program,
            arguments,
            input,
        } = self.fingerprint.unwrap_or_default();
        for hash in [program, arguments, input] {
            bytes.extend_from_slice(&hash.to_le_bytes());
        }
        to.write_all(&bytes)
    }

    pub(super) fn read(from: &mut impl Read) -> Result<Self, NoHello> {
        // The first bytes alone tell whether it is one of ours: others may send less.
        let magic: [u8; 8] = array(from)?;
        if magic != MAGIC {
            return Err(NoHello::Stray);
        }
        let version = u32::from_le_bytes(array(from)?);
        if version != VERSION {
            return Err(NoHello::Version(version));
        }
        let mut hello = Self {
            run: u64::from_le_bytes(array(from)?),
            index: u32::from_le_bytes(array(from)?),
            to: u32::from_le_bytes(array(from)?),
            processes: u32::from_le_bytes(array(from)?),
            socket: match array(from)? {
                [0] => Socket::Data,
                [1] => Socket::Life,
                [_] => return Err(NoHello::Stray),
            },
            fingerprint: None,
        };
        let is_there = match array(from)? {
            [0] => false,
            [1] => true,
            [_] => return Err(NoHello::Stray),
        };
        let fingerprint = Fingerprint {
            program: u64::from_le_bytes(array(from)?),
            arguments: u64::from_le_bytes(array(from)?),
            input: u64::from_le_bytes(array(from)?),
        };
        hello.fingerprint = is_there.then_some(fingerprint);
        Ok(hello)
    }

    /// What of the things that have to be equal is not, as far as both have it.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let are_both = self.fingerprint.is_some() && other.fingerprint.is_some();
        let [a, b] = [self, other].map(|hello| match are_both {
            true => hello.fingerprint.unwrap_or_default(),
            false => Fingerprint::default(),
        });
        let all = [
            (
                self.processes == other.processes,
                "number of processes (-n)",
            ),
            (a.program == b.program, "program"),
            (a.arguments == b.arguments, "arguments"),
            (
                a.input == b.input,
                "input (its size, its time stamp, or what is in it)",
            ),
        ];
        let unequal = all.into_iter().filter(|(is_equal, _)| !is_equal);
        unequal.map(|(_, what)| what).collect()
    }
}

impl Answer {
    pub(super) fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&[match self {
            Answer::Welcome => 0,
            Answer::OtherRun => 1,
            Answer::Unequal => 2,
            Answer::NotAwaited => 3,
        }])
    }

    pub(super) fn read(from: &mut impl Read) -> Result<Self, NoHello> {
        match array(from)? {
            [0] => Ok(Answer::Welcome),
            [1] => Ok(Answer::OtherRun),
            [2] => Ok(Answer::Unequal),
            [3] => Ok(Answer::NotAwaited),
            [_] => Err(NoHello::Stray),
        }
    }
}

fn array<const N: usize>(from: &mut impl Read) -> Result<[u8; N], NoHello> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes).map_err(NoHello::Io)?;
    Ok(bytes)
}

impl fmt::Display for NoHello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoHello::Io(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                    f.write_str("it has not said in time what it is")
                }
                io::ErrorKind::UnexpectedEof => f.write_str("it was closed at once"),
                _ => error.fmt(f),
            },
            NoHello::Stray => f.write_str("it is none of a run of Hyades"),
            NoHello::Version(version) => write!(
                f,
                "it speaks version {version} of the protocol, not {VERSION}: start the same \
                 version of Hyades everywhere"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: Hello = Hello {
        run: 0x0123_4567_89ab_cdef,
        index: 3,
        to: 1,
        processes: 5,
        socket: Socket::Life,
        fingerprint: Some(FINGERPRINT),
    };

    const FINGERPRINT: Fingerprint = Fingerprint {
        program: 1,
        arguments: 2,
        input: u64::MAX,
    };

    #[test]
    fn what_is_written_is_read() {
        for (socket, fingerprint) in [
            (Socket::Data, None),
            (Socket::Data, HELLO.fingerprint),
            (Socket::Life, HELLO.fingerprint),
        ] {
            let hello = Hello {
                socket,
                fingerprint,
                ..HELLO
            };
            let mut bytes = Vec::new();
            hello.write(&mut bytes).unwrap();
            assert_eq!(bytes.len(), LENGTH);
            assert_eq!(Hello::read(&mut &bytes[..]).unwrap(), hello);
            for end in 0..LENGTH {
                let read = Hello::read(&mut &bytes[..end]);
                assert!(matches!(read, Err(NoHello::Io(_))), "{end}");
            }
        }
        for answer in [
            Answer::Welcome,
            Answer::OtherRun,
            Answer::Unequal,
            Answer::NotAwaited,
        ] {
            let mut bytes = Vec::new();
            answer.write(&mut bytes).unwrap();
            assert_eq!(Answer::read(&mut &bytes[..]).unwrap(), answer);
        }
    }

    #[test]
    fn what_is_something_else_is_told() {
        let mut bytes = Vec::new();
        HELLO.write(&mut bytes).unwrap();
        let mut other = bytes.clone();
        other[0] ^= 1;
        assert!(matches!(Hello::read(&mut &other[..]), Err(NoHello::Stray)));
        let mut other = bytes.clone();
        other[8] = 9;
        assert!(matches!(
            Hello::read(&mut &other[..]),
            Err(NoHello::Version(9))
        ));
        for place in [32, 33] {
            let mut other = bytes.clone();
            other[place] = 7;
            assert!(matches!(Hello::read(&mut &other[..]), Err(NoHello::Stray)));
        }
        assert!(matches!(Answer::read(&mut &[9][..]), Err(NoHello::Stray)));
    }

    #[test]
    fn each_difference_has_its_name() {
        assert!(HELLO.differences(&HELLO).is_empty());
        let with = |change: fn(&mut Hello, &mut Fingerprint)| {
            let (mut other, mut fingerprint) = (HELLO, FINGERPRINT);
            change(&mut other, &mut fingerprint);
            other.fingerprint = Some(fingerprint);
            HELLO.differences(&other)
        };
        assert_eq!(with(|o, _| o.processes = 4), ["number of processes (-n)"]);
        assert_eq!(with(|_, f| f.program = 9), ["program"]);
        assert_eq!(with(|_, f| f.arguments = 9), ["arguments"]);
        assert_eq!(with(|_, f| f.input = 9).len(), 1);
        // These differ between any two.
        assert!(with(|o, _| (o.index, o.to, o.socket) = (1, 3, Socket::Data)).is_empty());
        // Who fails may not know them.
        let failing = Hello {
            fingerprint: None,
            ..HELLO
        };
        assert!(HELLO.differences(&failing).is_empty());
        assert!(failing.differences(&HELLO).is_empty());
    }
}
