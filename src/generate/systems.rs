//! Random systems of communicating machines.

use std::sync::Arc;

use hyades_base::draw;
use hyades_channels::{
    Channel, ChannelId, Component, ComponentId, Direction, Event, Machine, MessageId, System,
    Transition,
};
use hyades_formats::StateId;

/// What is drawn for: each has numbers of its own.
enum Stream {
    Sends,
    Message,
    Target,
    Reception,
}

/// A closed system of two components and one channel each way, as in the experiment of
/// Kapus-Kolar 2010, section 5.4, whose text leaves open how exactly its systems were
/// drawn.
///
/// The values: the states of each component; the capacity of the channels; how many
/// messages there are for each direction; in how many of 100 cases a state has a
/// transition that transmits (a random message, to a random state); how many receptions
/// there are, in percent; and what these percentages are of (0: of the states, that
/// many triples of source, message and target, all different; 1: each pair of a state
/// and a message has a reception with that probability). All transitions have one
/// event.
pub(super) fn channels(values: &[u64]) -> System {
    let &[states, capacity, messages, sending, receiving, each, seed] = values else {
        unreachable!("there are as many values as parameters");
    };
    let names = ["M", "N"];
    let channel = |from: usize| Channel {
        name: format!("{}{}", names[from], names[1 - from]),
        from: Some(ComponentId::new(from)),
        to: Some(ComponentId::new(1 - from)),
        capacity: Some(capacity as u32),
        messages: (0..messages)
            .map(|m| format!("{}{m}", ["a", "b"][from]))
            .collect(),
    };
    let channels: Arc<[Channel]> = [channel(0), channel(1)].into();
    let components = (0..2).map(|k| {
        let draw = |stream: Stream, index: u64, bound: u64| {
            draw(seed, 8 * k as u64 + stream as u64, index, bound)
        };
        let id = ComponentId::new(k);
        let state = |number: u64| StateId::new(number as u32);
        let mut machine = Machine::new(id, Arc::clone(&channels), StateId::new(0), states as usize);
        let mut add = |direction, message: u64, source: u64, target: u64| {
            let event = Event {
                direction,
                channel: ChannelId::new(match direction {
                    Direction::Transmission => k,
                    Direction::Reception => 1 - k,
                }),
                message: MessageId::new(message as usize),
            };
            machine.insert(Transition::new(state(source), [event], state(target)))
        };
        for source in 0..states {
            if draw(Stream::Sends, source, 100) < sending {
                let message = draw(Stream::Message, source, messages);
                let target = draw(Stream::Target, source, states);
                add(Direction::Transmission, message, source, target);
            }
        }
        if each == 1 {
            for index in 0..states * messages {
                if draw(Stream::Reception, 2 * index, 100) < receiving {
                    let target = draw(Stream::Reception, 2 * index + 1, states);
                    add(
                        Direction::Reception,
                        index % messages,
                        index / messages,
                        target,
                    );
                }
            }
        } else {
            let triples = states * messages * states;
            // Rounded to the nearest.
            let wanted = ((receiving * states + 50) / 100).min(triples);
            let mut index = 0;
            let mut added = 0;
            while added < wanted {
                let triple = draw(Stream::Reception, index, triples);
                let (source, rest) = (triple / (messages * states), triple % (messages * states));
                let (message, target) = (rest / states, rest % states);
                added += u64::from(add(Direction::Reception, message, source, target));
                index += 1;
            }
        }
        Component {
            name: names[k].into(),
            machine,
        }
    });
    let components = components.collect();
    System::new(format!("random-{seed}"), components, channels)
}
