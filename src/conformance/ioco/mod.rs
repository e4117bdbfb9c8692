//! Input/output conformance: tests that a purpose selects, and the relation ioco.
//!
//! A specification is an LTS whose visible labels are inputs and outputs
//! ([`Interface`]): an IOLTS. What a tester sees of it are its *suspension traces*, of
//! inputs, outputs and *quiescence*, which is that nothing comes ([`Event`]). An
//! implementation *conforms* ([`counterexample`]) if, behind each suspension trace of the
//! specification, it shows no output and no quiescence that the specification does not
//! show there.
//!
//! A [`TestPurpose`] accepts some of the behaviour. [`generate`] makes of both the
//! *complete test graph*, which has all that leads to acceptance, or a *test case*,
//! which is controllable: in each state the tester does one thing, or waits. What is
//! received and is not in them is a fault.
//!
//! C. Jard, T. Jéron, "TGV: theory, principles and algorithms" (STTT 7(4), 2005), whose
//! words these are; J. Tretmans, "Test generation with inputs, outputs and repetitive
//! quiescence" (Software – Concepts and Tools 17(3), 1996) for the relation.
//!
//! ```
//! use hyades_conformance::ioco::{Interface, TestOptions, TestPurpose, generate};
//! use hyades_formats::{LtsBuilder, StateId};
//!
//! let mut machine = LtsBuilder::new(3);
//! machine.add_text(0, b"?coin", 1)?;
//! machine.add_text(1, b"!tea", 0)?;
//! machine.add_text(1, b"!coffee", 0)?;
//! let machine = machine.build(StateId::new(0))?;
//! let mut purpose = LtsBuilder::new(2);
//! purpose.add_text(0, b"!coffee", 1)?;
//! purpose.add_text(1, b"ACCEPT", 1)?;
//! let purpose = TestPurpose::new(&purpose.build(StateId::new(0))?, machine.table())?;
//! let interface = Interface::new(machine.table(), |text| text[0] == b'?')?;
//! let test = generate(&machine, &interface, &purpose, &TestOptions::default())?;
//! let lts = test.to_lts(&Default::default())?;
//! let texts: Vec<_> = lts.labels().iter().map(|&l| lts.table().text(l)).collect();
//! assert_eq!(texts[0], b"?coin; OUTPUT");
//! // After tea the purpose is still to be reached; coffee reaches it.
//! assert_eq!(texts[1..], [&b"!coffee; INPUT PASS"[..], b"!tea; INPUT"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conforms;
mod generate;
mod graph;
mod interface;
mod purpose;
mod suspension;

pub use conforms::{Observation, counterexample};
pub use generate::{NoTest, Priority, TestOptions, generate};
pub use graph::{Spelling, TestGraph, TestStep, Verdict};
pub use interface::{Direction, Event, Interface, Lock, Locks, locks};
pub use purpose::{PurposeError, TestPurpose};
