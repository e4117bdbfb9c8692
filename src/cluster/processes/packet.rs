//! Packets as timely takes them: their bytes go through as they are.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use timely::progress::Stamp;

/// How many bytes stand before those of a packet: its sender.
const HEAD: usize = 8;

/// A packet on its way.
#[derive(Clone, Default)]
pub(super) struct Packet {
    pub from: usize,
    pub to: usize,
    bytes: Load,
}

#[derive(Clone)]
enum Load {
    /// To be sent.
    Own(Vec<u8>),
    /// Has arrived.
    Arrived(Bytes),
}

impl Default for Load {
    fn default() -> Self {
        Load::Own(Vec::new())
    }
}

impl Packet {
    pub(super) fn new(from: usize, to: usize, bytes: Vec<u8>) -> Self {
        let bytes = Load::Own(bytes);
        Self { from, to, bytes }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Load::Own(bytes) => bytes,
            Load::Arrived(bytes) => bytes,
        }
    }
}

impl Accountable for Packet {
    fn record_count(&self) -> i64 {
        // One with nothing in it would be invisible to the tracking of progress.
        1
    }
}

impl ContainerBytes for Packet {
    fn from_bytes(mut bytes: Bytes) -> Self {
        let head = bytes.extract_to(HEAD);
        let from = u64::from_le_bytes(head[..].try_into().expect("so many bytes were taken"));
        Self {
            from: from as usize,
            // Of whoever has it.
            to: 0,
            bytes: Load::Arrived(bytes),
        }
    }

    fn length_in_bytes(&self) -> usize {
        HEAD + self.bytes().len()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let written = writer
            .write_all(&(self.from as u64).to_le_bytes())
            .and_then(|()| writer.write_all(self.bytes()));
        written.expect("there is room for as many bytes as were asked for");
    }
}

/// Passes each packet on to the worker that it is for.
pub(super) struct ToItsWorker;

impl Distributor<Packet> for ToItsWorker {
    fn partition<T: Clone, P: Push<Message<T, Packet>>>(
        &mut self,
        packet: &mut Packet,
        stamp: &Stamp<T>,
        pushers: &mut [P],
    ) {
        let to = packet.to;
        Message::push_at(packet, stamp.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Packet>>>(&mut self, _: &Stamp<T>, _: &mut [P]) {}
}

/// What a dataflow has behind the packets: nothing.
#[derive(Clone, Default)]
pub(super) struct Nothing;

impl Accountable for Nothing {
    fn record_count(&self) -> i64 {
        0
    }
}
