//! The chatbox: users who send one another messages and acknowledge them.

use std::borrow::Cow;

use hyades_explore::{Emit, Limits, Model, ModelError};
use hyades_formats::{LabelId, LabelTable};

use super::{GenerateError, Member, check_states};

/// A chatbox for users `0 .. n`, of J. M. T. Romijn and J. G. Springintveld,
/// *Exploiting Symmetry in Protocol Testing*, CWI report SEN-R9918, appendix A.
///
/// A user may join and leave. A user who is present may send a message to
/// another who is, unless the one before has not been acknowledged, and
/// acknowledge what came from another who is present. Whatever is asked gets an
/// answer: what may not happen is answered `NO_OUTPUT` and changes nothing.
/// That somebody leaves does not take back what is to be acknowledged.
///
/// Labels are the request and the answer, in the order of LOTOS:
/// `JOIN !u !OK`, `LEAVE !u !OK`, `DREQ !u !v !MES !DIND` for a message from u
/// to v, `DREQ !u !v !ACK !DIND` for an acknowledgement by u to v, and each of
/// them with `NO_OUTPUT`; users who write to themselves get nothing else. The
/// report's text in LOTOS and the one in µCRL describe the same system; the
/// answer to `DREQ` is `OK` in the second.
///
/// A state has a bit for each ordered pair of users, whether a message from the
/// one to the other is to be acknowledged, and then a bit for each user, whether
/// present. All 2^(n²) combinations are reachable, and no two are bisimilar.
///
/// [`without_joining`](Self::without_joining) makes the variant of the same
/// appendix in which all users are present for ever: there are no `JOIN` and
/// `LEAVE`, and 2^(n² − n) states.
pub struct Chatbox {
    bits: u32,
    labels: LabelTable,
    requests: Vec<Request>,
}

hyades_base::opaque!(Chatbox);

/// What may be asked of a chatbox, in every state.
struct Request {
    refused: LabelId,
    /// `None` if it is always refused.
    accepted: Option<Accepted>,
}

/// When a request is accepted and what happens then.
struct Accepted {
    label: LabelId,
    /// The bits of a state that have to be set, and those that must not be.
    set: u64,
    clear: u64,
    /// The bits that change.
    flipped: u64,
}

impl Chatbox {
    /// `n` users, at first all absent.
    ///
    /// # Panics
    /// Unless `n` is 2 to 5: with more users states do not fit in 32 bits.
    pub fn new(n: u32) -> Self {
        assert!((2..=5).contains(&n), "2 to 5 users");
        let present = |user| 1u64 << (n * (n - 1) + user);
        let mut chatbox = Self::empty(n * n);
        for user in 0..n {
            let accepted = Some((0, present(user), present(user)));
            chatbox.request(format!("JOIN !{user}"), "OK", accepted);
        }
        for user in 0..n {
            let accepted = Some((present(user), 0, present(user)));
            chatbox.request(format!("LEAVE !{user}"), "OK", accepted);
        }
        chatbox.messages(n, present);
        chatbox
    }

    /// `n` users who are there for ever.
    ///
    /// # Panics
    /// Unless `n` is 2 to 6: with more users states do not fit in 32 bits.
    pub fn without_joining(n: u32) -> Self {
        assert!((2..=6).contains(&n), "2 to 6 users");
        let mut chatbox = Self::empty(n * (n - 1));
        // There is no bit to look at.
        chatbox.messages(n, |_| 0);
        chatbox
    }

    /// How many states there are; all are reachable.
    pub fn states(&self) -> u64 {
        1 << self.bits
    }

    /// How many transitions there are: one for each state and request.
    pub fn transitions(&self) -> u64 {
        self.states() * self.requests.len() as u64
    }

    fn empty(bits: u32) -> Self {
        Self {
            bits,
            labels: LabelTable::new(),
            requests: Vec::new(),
        }
    }

    /// Messages and acknowledgements between users whose presence is in these
    /// bits.
    fn messages(&mut self, n: u32, present: impl Fn(u32) -> u64) {
        // Pairs are numbered row by row, without the diagonal.
        let sent = |from: u32, to: u32| 1u64 << (from * (n - 1) + to - u32::from(to > from));
        let pairs = || (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
        for (u, v) in pairs() {
            let both = present(u) | present(v);
            let accepted = (u != v).then(|| (both, sent(u, v), sent(u, v)));
            self.request(format!("DREQ !{u} !{v} !MES"), "DIND", accepted);
        }
        for (u, v) in pairs() {
            let both = present(u) | present(v);
            let accepted = (u != v).then(|| (both | sent(v, u), 0, sent(v, u)));
            self.request(format!("DREQ !{u} !{v} !ACK"), "DIND", accepted);
        }
    }

    /// Adds a request, refused or with this answer where the first bits are set
    /// and the second are not; then the third change.
    fn request(&mut self, text: String, answer: &str, accepted: Option<(u64, u64, u64)>) {
        let mut label = |answer: &str| {
            let label = self.labels.intern(format!("{text} !{answer}").as_bytes());
            label.expect("six users have few labels")
        };
        let refused = label("NO_OUTPUT");
        let accepted = accepted.map(|(set, clear, flipped)| Accepted {
            label: label(answer),
            set,
            clear,
            flipped,
        });
        self.requests.push(Request { refused, accepted });
    }
}

impl Model for Chatbox {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        self.bits as usize
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        // All zeros: nothing has been sent, and nobody has joined.
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let state = state[0];
        for request in &self.requests {
            match &request.accepted {
                Some(accepted)
                    if state & accepted.set == accepted.set && state & accepted.clear == 0 =>
                {
                    emit.transition(accepted.label, &[state ^ accepted.flipped]);
                }
                _ => emit.transition(request.refused, &[state]),
            }
        }
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        // Every number is a reachable state.
        Some(1 << self.bits)
    }
}

/// The family of chatboxes.
pub(super) fn chatbox(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    member(Chatbox::new(values[0] as u32), limits)
}

/// The family of chatboxes without joining.
pub(super) fn chatbox_fixed(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    member(Chatbox::without_joining(values[0] as u32), limits)
}

fn member(chatbox: Chatbox, limits: Limits) -> Result<Member, GenerateError> {
    let (states, transitions) = (chatbox.states(), chatbox.transitions());
    check_states(states, limits)?;
    Ok(Member::new(chatbox, states, transitions))
}
