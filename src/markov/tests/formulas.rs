//! Chains whose probabilities are known.

use super::*;

fn in_the_long_run(chain: &Chain) -> Vec<f64> {
    let found = steady(chain, &Settings::default(), &mut |_| {});
    found.unwrap().probabilities
}

/// A queue with room for so many, whose probabilities are a geometric series.
fn queue(room: usize, arrival: f64, service: f64) -> Chain {
    let mut transitions = Vec::new();
    for k in 0..room {
        transitions.push((k, format!("ARRIVE; rate {arrival}"), k + 1));
        transitions.push((k + 1, format!("SERVE; rate {service}"), k));
    }
    Chain::new(&lts(room + 1, &transitions)).unwrap()
}

#[test]
fn queues_with_one_server() {
    // By elimination, by iteration, and by elimination once that takes long.
    let rooms = [
        (1, 0.5),
        (10, 0.9),
        (150, 1.5),
        (400, 0.8),
        (600, 1.25),
        (20_000, 0.99),
    ];
    for (room, ratio) in rooms {
        let chain = queue(room, 2.0 * ratio, 2.0);
        let weights: Vec<f64> = (0..=room).map(|k| f64::powi(ratio, k as i32)).collect();
        let sum: f64 = weights.iter().sum();
        let expected: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        let found = in_the_long_run(&chain);
        near(&found, &expected, 1e-10).unwrap();
        // Whoever is let in is served.
        let served = 2.0 * (1.0 - expected[0]);
        near(&chain.throughputs(&found), &[served, served], 1e-8).unwrap();
    }
}

#[test]
fn rates_of_all_sizes() {
    // Where the sizes differ much, elimination has no error.
    let chain = chain(
        4,
        &[
            (0, "rate 1e9", 1),
            (1, "rate 1e-9", 2),
            (1, "rate 1e9", 0),
            (2, "rate 1e9", 3),
            (3, "rate 1e9", 2),
            (3, "rate 3e-9", 0),
        ],
    );
    let found = in_the_long_run(&chain.unwrap());
    near(&found, &[0.375, 0.375, 0.125, 0.125], 1e-14).unwrap();
}

#[test]
fn rings_are_passed_in_either_direction() {
    // By iteration, which must not go round with the ring.
    for step in [1, 400] {
        let n = 401;
        let transitions: Vec<_> = (0..n)
            .map(|s| (s, format!("rate {}", s % 3 + 1), (s + step) % n))
            .collect();
        let chain = Chain::new(&lts(n, &transitions)).unwrap();
        let sum: f64 = (0..n).map(|s| 1.0 / (s % 3 + 1) as f64).sum();
        let expected: Vec<f64> = (0..n).map(|s| 1.0 / (s % 3 + 1) as f64 / sum).collect();
        near(&in_the_long_run(&chain), &expected, 1e-9).unwrap();
    }
}

#[test]
fn two_states_at_instants() {
    let chain = chain(
        2,
        &[(0, "rate 0.3", 1), (1, "rate 0.5", 0), (0, "rate 9", 0)],
    )
    .unwrap();
    let instants = [0.1, 1.0, 5.0, 50.0];
    let found = transient(&chain, &instants, &Settings::default(), &mut |_| {}).unwrap();
    for (t, distribution) in instants.iter().zip(&found.distributions) {
        let up = 0.625 + 0.375 * f64::exp(-0.8 * t);
        near(distribution, &[up, 1.0 - up], 1e-10).unwrap();
    }
}

#[test]
fn events_of_a_poisson_process() {
    let transitions: Vec<_> = (0..99)
        .map(|k| (k, "E; rate 2".to_owned(), k + 1))
        .collect();
    let chain = Chain::new(&lts(100, &transitions)).unwrap();
    let found = transient(&chain, &[3.0], &Settings::default(), &mut |_| {}).unwrap();
    let mut expected = vec![(-6.0f64).exp()];
    for k in 1..60 {
        expected.push(expected[k - 1] * 6.0 / k as f64);
    }
    near(&found.distributions[0][..60], &expected, 1e-10).unwrap();
    // Then the last state has no event any more.
    near(&chain.throughputs(&found.distributions[0]), &[2.0], 1e-8).unwrap();
    near(&in_the_long_run(&chain)[98..], &[0.0, 1.0], 1e-12).unwrap();
}

#[test]
fn deadlocks_are_reached_with_probabilities() {
    // A coin that is thrown again with probability 1/2 leads to 2 or 3.
    let chain = chain(
        4,
        &[
            (0, "THROW; rate 5", 1),
            (1, "AGAIN; prob 0.5", 1),
            (1, "HEADS; prob 0.125", 2),
            (1, "TAILS; prob 0.375", 3),
            (3, "DONE; rate 2", 3),
        ],
    )
    .unwrap();
    assert_eq!(chain.vanishing(), 1);
    let names: Vec<&[u8]> = chain.labels().iter().map(|name| &name[..]).collect();
    assert_eq!(
        names,
        [&b"AGAIN"[..], b"DONE", b"HEADS", b"TAILS", b"THROW"]
    );
    let found = in_the_long_run(&chain);
    near(&found, &[0.0, 0.25, 0.75], 1e-14).unwrap();
    near(
        &chain.throughputs(&found),
        &[0.0, 1.5, 0.0, 0.0, 0.0],
        1e-14,
    )
    .unwrap();
    // At the start, each throw is one more in the mean, and a quarter ends at 2.
    let start = chain.throughputs(&[1.0, 0.0, 0.0]);
    near(&start, &[5.0, 0.0, 1.25, 3.75, 5.0], 1e-14).unwrap();
}

#[test]
fn probabilities_are_normalized() {
    let two = &[(0, "prob 0.2", 1), (0, "prob 0.6", 2)];
    let chain = chain(3, two).unwrap();
    assert_eq!(chain.normalized(), 1);
    assert_eq!(chain.initial().len(), 2);
    near(&in_the_long_run(&chain), &[0.25, 0.75], 1e-14).unwrap();
}
