//! The chatbox of appendix A.

use hyades_formats::Lts;

use super::{assert_same, search};
use crate::Chatbox;

/// Appendix A in LOTOS: who is there, what was sent, what is to be
/// acknowledged. Users who are `fixed` are there for ever.
fn chatbox_lotos(n: usize, fixed: bool) -> Lts {
    type State = (Vec<bool>, Vec<Vec<bool>>, Vec<Vec<bool>>);
    let matrix = vec![vec![false; n]; n];
    let initial: State = (vec![fixed; n], matrix.clone(), matrix);
    search(initial, |state| {
        let (pc, sent_to, to_ack) = state;
        let mut steps = Vec::new();
        for u in (0..n).filter(|_| !fixed) {
            let mut joined = state.clone();
            joined.0[u] = true;
            let mut left = state.clone();
            left.0[u] = false;
            if pc[u] {
                steps.push((format!("JOIN !{u} !NO_OUTPUT"), state.clone()));
            }
            if !pc[u] {
                steps.push((format!("JOIN !{u} !OK"), joined));
            }
            if !pc[u] {
                steps.push((format!("LEAVE !{u} !NO_OUTPUT"), state.clone()));
            }
            if pc[u] {
                steps.push((format!("LEAVE !{u} !OK"), left));
            }
        }
        for (u1, u2) in (0..n).flat_map(|u1| (0..n).map(move |u2| (u1, u2))) {
            let dreq = |what: &str| format!("DREQ !{u1} !{u2} !{what}");
            let mut sent = state.clone();
            sent.1[u1][u2] = true;
            sent.2[u2][u1] = true;
            let mut acknowledged = state.clone();
            acknowledged.1[u2][u1] = false;
            acknowledged.2[u1][u2] = false;
            if u1 == u2 || !(pc[u1] && pc[u2]) || sent_to[u1][u2] {
                steps.push((dreq("MES !NO_OUTPUT"), state.clone()));
            }
            if u1 == u2 || !(pc[u1] && pc[u2]) || !to_ack[u1][u2] {
                steps.push((dreq("ACK !NO_OUTPUT"), state.clone()));
            }
            if (u1 != u2 && pc[u1] && pc[u2]) && !sent_to[u1][u2] {
                steps.push((dreq("MES !DIND"), sent));
            }
            if (u1 != u2 && pc[u1] && pc[u2]) && to_ack[u1][u2] {
                steps.push((dreq("ACK !DIND"), acknowledged));
            }
        }
        steps
    })
}

/// Appendix A in µCRL, but for `DIND` where it says `OK`: there is no `to_ack`.
fn chatbox_mcrl(n: usize) -> Lts {
    let initial = (vec![false; n], vec![vec![false; n]; n]);
    search(initial, |state| {
        let (pres, sentto) = state;
        let mut steps = Vec::new();
        let mut put = |label: String, accepted: Option<_>, answer: &str| {
            steps.push(match accepted {
                Some(next) => (format!("{label} !{answer}"), next),
                None => (format!("{label} !NO_OUTPUT"), state.clone()),
            });
        };
        for (i, &is_present) in pres.iter().enumerate() {
            let mut turned = state.clone();
            turned.0[i] = !is_present;
            let (join, leave) = (format!("JOIN !{i}"), format!("LEAVE !{i}"));
            put(join, (!is_present).then(|| turned.clone()), "OK");
            put(leave, is_present.then(|| turned.clone()), "OK");
        }
        for i in 0..n {
            for what in ["MES", "ACK"] {
                put(format!("DREQ !{i} !{i} !{what}"), None, "DIND");
            }
            for j in (0..n).filter(|&j| j != i) {
                let mut sent = state.clone();
                sent.1[i][j] = !sentto[i][j];
                let is_sent = pres[i] && pres[j] && !sentto[i][j];
                let mes = format!("DREQ !{i} !{j} !MES");
                put(mes, is_sent.then_some(sent), "DIND");
                let mut acknowledged = state.clone();
                acknowledged.1[j][i] = !sentto[j][i];
                let is_acknowledged = pres[i] && pres[j] && sentto[j][i];
                let ack = format!("DREQ !{i} !{j} !ACK");
                put(ack, is_acknowledged.then_some(acknowledged), "DIND");
            }
        }
        steps
    })
}

#[test]
fn chatboxes_are_what_both_texts_say() {
    for n in 2..=3 {
        assert_same(&Chatbox::new(n), chatbox_lotos(n as usize, false));
        assert_same(&Chatbox::new(n), chatbox_mcrl(n as usize));
    }
    for n in 2..=4 {
        let chatbox = Chatbox::without_joining(n);
        assert_same(&chatbox, chatbox_lotos(n as usize, true));
    }
}
