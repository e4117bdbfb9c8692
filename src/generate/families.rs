//! The table of families.

use super::{Build, Family, Parameter};
use super::{buffers, chatbox, dining, networks, random, ring, structured, systems, train};

/// The largest value of a parameter without a limit of its own; sums and
/// products of a few fit in 64 bits.
const ANY: u64 = 1 << 32;

/// A parameter that has to be given.
const fn required(name: &'static str, help: &'static str, least: u64, most: u64) -> Parameter {
    Parameter {
        name,
        help,
        default: None,
        least,
        most,
    }
}

/// A parameter with a default.
const fn optional(
    name: &'static str,
    help: &'static str,
    default: u64,
    least: u64,
    most: u64,
) -> Parameter {
    Parameter {
        name,
        help,
        default: Some(default),
        least,
        most,
    }
}

const SEED: Parameter = optional("seed", "what to draw from", 1, 0, u64::MAX);
const ALPHABET: Parameter = optional("alphabet", "visible labels a0, a1, …", 20, 1, ANY);
const TAU: Parameter = optional(
    "tau-percentage",
    "percentage of hidden transitions",
    30,
    0,
    100,
);
/// The parameter n, which is a number of these.
const fn count(of: &'static str) -> Parameter {
    required("n", of, 1, ANY)
}

/// The parameter n, which is a number of stations.
const fn stations(least: u32, most: u32) -> Parameter {
    required("n", "number of stations", least as u64, most as u64)
}

const DEPTH: Parameter = required("depth", "distance from the root to the leaves", 0, 30);
const WIDTH: Parameter = required("width", "states in a row", 1, ANY);
const HEIGHT: Parameter = required("height", "states in a column", 1, ANY);

const PLACES: Parameter = required("places", "messages that it can hold", 0, 1 << 24);
const MESSAGES: Parameter = required("messages", "number of different messages", 1, ANY);

/// All families, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "random",
        help: "uniformly random transitions; all states reachable if there are enough of them",
        parameters: &[
            required("states", "number of states", 1, ANY),
            required("transitions", "number of transitions", 0, ANY),
            ALPHABET,
            TAU,
            SEED,
        ],
        build: Build::Whole(random::random),
    },
    Family {
        name: "regular",
        help: "random transitions, as many from every state; all states reachable",
        parameters: &[
            required("states", "number of states", 1, ANY),
            required("degree", "transitions of every state", 1, ANY),
            ALPHABET,
            TAU,
            SEED,
        ],
        build: Build::Whole(random::regular),
    },
    Family {
        name: "mealy",
        help: "a random complete Mealy machine, labels `i0/o0`; all states reachable",
        parameters: &[
            required("states", "number of states", 1, ANY),
            required("input-symbols", "inputs i0, i1, …", 1, 1 << 16),
            optional("output-symbols", "outputs o0, o1, …", 2, 1, 1 << 8),
            SEED,
        ],
        build: Build::Whole(random::mealy),
    },
    Family {
        name: "many-labels",
        help: "random transitions with many labels: 2 states and 10 transitions a label",
        parameters: &[
            required("labels", "visible labels l0, l1, …, each used", 1, ANY),
            SEED,
        ],
        build: Build::Whole(random::many_labels),
    },
    Family {
        name: "lift",
        help: "a random LTS without hidden transitions, lifted to branching bisimilar copies of \
               each state",
        parameters: &[
            required("states", "states to lift", 1, ANY),
            required("copies", "copies of each", 1, ANY),
            optional("degree", "transitions of every state", 5, 1, ANY),
            ALPHABET,
            optional(
                "stutter",
                "percentage of copies that start with a hidden step",
                100,
                0,
                100,
            ),
            SEED,
        ],
        build: Build::Whole(random::lift),
    },
    Family {
        name: "chain",
        help: "a path of n states, one label",
        parameters: &[count("states of the path")],
        build: Build::Model(structured::chain),
    },
    Family {
        name: "tau-chain",
        help: "a path of n states, all steps hidden but the last",
        parameters: &[count("states of the path")],
        build: Build::Model(structured::tau_chain),
    },
    Family {
        name: "tau-chain-visible",
        help: "a path of n states with hidden steps, and from each a visible step to the end",
        parameters: &[
            count("states of the path"),
            optional(
                "alphabet",
                "visible labels a0, a1, …, taken in turn",
                2,
                1,
                ANY,
            ),
        ],
        build: Build::Model(structured::tau_chain_visible),
    },
    Family {
        name: "grid",
        help: "steps to the right and down in a rectangle",
        parameters: &[WIDTH, HEIGHT],
        build: Build::Model(structured::grid),
    },
    Family {
        name: "torus",
        help: "steps to the right and down in a rectangle whose edges are joined",
        parameters: &[
            WIDTH,
            HEIGHT,
            optional(
                "marked",
                "1 to give one transition a label of its own",
                0,
                0,
                1,
            ),
        ],
        build: Build::Model(structured::torus),
    },
    Family {
        name: "tree",
        help: "a complete binary tree; random steps a or b from the leaves to the root",
        parameters: &[DEPTH, SEED],
        build: Build::Model(structured::tree),
    },
    Family {
        name: "tau-tree",
        help: "a complete binary tree of hidden steps; random steps a or b from the leaves to the \
               root",
        parameters: &[DEPTH, SEED],
        build: Build::Model(structured::tau_tree),
    },
    Family {
        name: "tau-scc",
        help: "a chain of hidden strongly connected components, with a random visible step from \
               each state",
        parameters: &[
            required("components", "number of components", 1, ANY),
            required("states", "states of each", 1, ANY),
            optional("alphabet", "visible labels a0, a1, …", 5, 1, ANY),
            SEED,
        ],
        build: Build::Model(structured::tau_scc),
    },
    Family {
        name: "tau-cycle",
        help: "a hidden cycle of n states with a random hidden chord from each, and a few visible \
               exits",
        parameters: &[
            count("states of the cycle"),
            optional("every", "states to an exit", 1000, 1, ANY),
            optional(
                "alphabet",
                "visible labels a0, a1, …, taken in turn",
                7,
                1,
                ANY,
            ),
            SEED,
        ],
        build: Build::Model(structured::tau_cycle),
    },
    Family {
        name: "tau-nested",
        help: "n hidden loops, each inside the one before, with one visible exit",
        parameters: &[count("loops")],
        build: Build::Model(structured::tau_nested),
    },
    Family {
        name: "tau-star",
        help: "n hidden steps from a hub to leaves, and a visible step back from each",
        parameters: &[
            count("leaves"),
            optional(
                "alphabet",
                "visible labels a0, a1, …, taken in turn",
                2,
                1,
                ANY,
            ),
        ],
        build: Build::Model(structured::tau_star),
    },
    Family {
        name: "star",
        help: "a chain of hubs, random steps from each hub to each leaf and from each leaf to a hub",
        parameters: &[
            required("hubs", "number of hubs", 1, ANY),
            required("leaves", "number of leaves", 0, ANY),
            optional("alphabet", "visible labels a0, a1, …", 50, 1, ANY),
            SEED,
        ],
        build: Build::Model(structured::star),
    },
    Family {
        name: "hub",
        help: "one state with n transitions, to as many deadlocks",
        parameters: &[count("transitions of the one state")],
        build: Build::Model(structured::hub),
    },
    Family {
        name: "funnel",
        help: "one state with a step to each of n others, which have a random step back and one to \
               anywhere",
        parameters: &[
            count("states around the one"),
            optional("alphabet", "visible labels a0, a1, …", 40, 1, ANY),
            SEED,
        ],
        build: Build::Model(structured::funnel),
    },
    Family {
        name: "ladder",
        help: "two rails of n states and the rungs between them; naive refinement takes n rounds",
        parameters: &[count("states of a rail")],
        build: Build::Model(structured::ladder),
    },
    Family {
        name: "tau-ladder",
        help: "two hidden rails of n states and visible rungs between them",
        parameters: &[count("states of a rail")],
        build: Build::Model(structured::tau_ladder),
    },
    Family {
        name: "comb",
        help: "a path of n states with a tooth at each",
        parameters: &[count("states of the path")],
        build: Build::Model(structured::comb),
    },
    Family {
        name: "complete",
        help: "a step from each of n states to each other",
        parameters: &[
            count("states"),
            optional(
                "alphabet",
                "visible labels a0, a1, …, taken in turn",
                1,
                1,
                ANY,
            ),
        ],
        build: Build::Model(structured::complete),
    },
    Family {
        name: "debruijn",
        help: "the doubling automaton of 2^k states, with one marked state; naive splitting is slow",
        parameters: &[required("k", "logarithm of the number of states", 0, 31)],
        build: Build::Model(structured::debruijn),
    },
    Family {
        name: "chaos",
        help: "one state with a loop for each of n labels",
        parameters: &[count("visible labels a0, a1, …")],
        build: Build::Model(buffers::chaos),
    },
    Family {
        name: "fifo",
        help: "a buffer that gives out messages in the order in which they came, `PUT !0`, `GET !0`",
        parameters: &[PLACES, MESSAGES],
        build: Build::Model(buffers::fifo),
    },
    Family {
        name: "bag",
        help: "a buffer that gives out messages in any order, `PUT !0`, `GET !0`",
        parameters: &[PLACES, MESSAGES],
        build: Build::Model(buffers::bag),
    },
    Family {
        name: "dining",
        help: "n dining philosophers, who take the left fork first; has one deadlock",
        parameters: &[required("n", "number of philosophers", 2, 1000)],
        build: Build::Whole(dining::dining),
    },
    Family {
        name: "chatbox",
        help: "n users who join and leave a chatbox, send and acknowledge (report SEN-R9918)",
        parameters: &[required("n", "number of users", 2, 5)],
        build: Build::Model(chatbox::chatbox),
    },
    Family {
        name: "chatbox-fixed",
        help: "the same with n users who are there for ever; 2^(n(n-1)) states",
        parameters: &[required("n", "number of users", 2, 6)],
        build: Build::Model(chatbox::chatbox_fixed),
    },
    Family {
        name: "train",
        help: "a train on a circle of n stations (report SEN-R9918)",
        parameters: &[stations(3, train::MOST_STATIONS)],
        build: Build::Whole(train::train),
    },
    Family {
        name: "train-mealy",
        help: "the same in the style of a Mealy machine: labels are requests with their answers",
        parameters: &[stations(3, train::MOST_STATIONS)],
        build: Build::Whole(train::train_mealy),
    },
    Family {
        name: "ring",
        help: "n stations in a ring that elect a leader and may crash; links that lose messages \
               (report SEN-R9918)",
        parameters: &[stations(2, ring::MOST_STATIONS)],
        build: Build::Whole(ring::ring),
    },
    Family {
        name: "channels",
        help: "a random system of two machines that exchange messages, as a system file (toml)",
        parameters: &[
            optional("states", "number of states of each machine", 7, 1, 1000),
            optional("capacity", "capacity of the channels", 3, 0, 1000),
            optional(
                "messages",
                "number of messages for each direction",
                1,
                1,
                1000,
            ),
            optional("sending", "states that transmit, in percent", 85, 0, 100),
            optional("receiving", "receptions, in percent", 75, 0, 100),
            optional(
                "each",
                "of what: 0, of the states, 1, of the pairs of a state and a message",
                0,
                0,
                1,
            ),
            SEED,
        ],
        build: Build::System(systems::channels),
    },
    Family {
        name: "liststack",
        help: "a stack as a linked list of n nodes, used by t threads for d data, as a network \
               (exp)",
        parameters: &[
            required("n", "number of nodes", 1, 40),
            required("t", "number of threads", 1, 16),
            required("d", "number of data", 1, 26),
            optional(
                "spec-states",
                "largest specification that is written; it has a state for each content",
                100_000,
                0,
                ANY,
            ),
        ],
        build: Build::Network(networks::liststack),
    },
    Family {
        name: "peterson",
        help: "Peterson's algorithm for mutual exclusion of n processes, as a network (exp)",
        parameters: &[required("n", "number of processes", 2, 32)],
        build: Build::Network(networks::peterson),
    },
    Family {
        name: "philosophers",
        help: "n dining philosophers with a butler, who choose their seats first, as a network \
               (exp)",
        parameters: &[
            required("n", "number of philosophers", 2, 32),
            optional(
                "seated",
                "1 for fixed seats, which leave no names to permute",
                0,
                0,
                1,
            ),
        ],
        build: Build::Network(networks::philosophers),
    },
    Family {
        name: "database",
        help: "n managers of a database, of whom one at a time updates it, as a network (exp)",
        parameters: &[required("n", "number of managers", 1, 64)],
        build: Build::Network(networks::database),
    },
];
