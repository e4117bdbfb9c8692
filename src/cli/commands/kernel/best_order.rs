//! `kernel find-order`: options and what is written.

use std::ops::ControlFlow;

use hyades_formats::Lts;
use hyades_formats::diagnostic::{counted, printable};
use hyades_symmetry::pattern::Pattern;
use hyades_symmetry::{BestOrder, Instances, KernelNumbers, OrderSearch, best_order, kernel};
use serde_json::{Value, json};

use crate::Question;
use hyades_cli_core::answer::json_text;
use hyades_cli_core::patterns::{PatternOption, no_kernel};
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::{Failure, Status};

/// `kernel find-order`: how an order is searched for.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Finding an order")]
pub struct FindOrder {
    /// Try all orders if there are at most N
    #[arg(
        long,
        value_name = "N",
        default_value_t = OrderSearch::default().exhaustive
    )]
    exhaustive: u64,

    /// Otherwise improve the pattern's order, and N random ones, step by step
    #[arg(
        long,
        value_name = "N",
        default_value_t = OrderSearch::default().random
    )]
    restarts: u32,

    /// The seed of random choices [default: 0]
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = OrderSearch::default().seed,
        hide_default_value = true
    )]
    seed: u64,

    #[command(flatten)]
    pattern: PatternOption,
    #[command(flatten)]
    pub question: Question,
}

impl FindOrder {
    /// Finds an order, phase `best order`, and writes it.
    ///
    /// # Errors
    /// If there is no kernel, nothing to choose, or the output cannot be written.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.question.destination(session)?;
        let dialect = &self.question.dialect;
        let pattern = &self.pattern.get(session, None, dialect, &destination)?;
        let lts = &self.question.read(session)?;
        let failure = |error| no_kernel(lts, error);
        if pattern.order.lists().is_empty() {
            return Err(Failure::error(
                "the order has no lists of values to arrange: expected `by` in an [[order]] of \
                 the pattern",
            ));
        }
        let copies = Instances::new(pattern, lts)?;
        let search = OrderSearch {
            exhaustive: self.exhaustive,
            random: self.restarts,
            seed: self.seed,
        };
        let (best, size) = session.phase("best order", |phase| {
            let bar = phase.progress("trying orders", Unit::None, None);
            let mut report = |tried| {
                bar.set(tried);
                ControlFlow::Continue(())
            };
            let best = best_order(lts, &copies, pattern, search, &mut report).map_err(failure)?;
            let ranks = best.order.ranks(lts, &pattern.syntax);
            let mut go_on = |_: &_| ControlFlow::Continue(());
            let kernel = kernel(lts, &copies, &ranks, KernelNumbers::Found, &mut go_on);
            let kernel = kernel.map_err(failure)?.lts;
            let size = (kernel.states(), kernel.transitions());
            phase.summary(|| {
                let (states, transitions) = size;
                format!(
                    "{}, {}, {}",
                    counted(best.tried, "order"),
                    counted(states, "state"),
                    counted(transitions, "transition")
                )
            });
            Ok((best, size))
        })?;
        session.add_figure("orders_tried", best.tried);
        session.add_figure("kernel_states", size.0);
        session.add_figure("kernel_transitions", size.1);
        let (format, text) = match self.question.json.is_wanted() {
            true => ("json", json(lts, pattern, &best, size).into_bytes()),
            false => ("text", text(lts, pattern, &best, size)),
        };
        session.write_text(&destination, format, &text)?;
        Ok(Status::Holds)
    }
}

/// The order, with what there is to know about it in comments.
fn text(lts: &Lts, pattern: &Pattern, best: &BestOrder, size: (usize, usize)) -> Vec<u8> {
    let mut text = format!(
        "# Kernel: {}, {}.\n",
        counted(size.0, "state"),
        counted(size.1, "transition")
    );
    text.push_str(&match (best.tried, best.exhaustive) {
        (1, true) => "# The only order.\n".to_owned(),
        (1, false) => "# The only order that was tried.\n".to_owned(),
        (tried, true) => format!("# The best of all {tried} orders.\n"),
        (tried, false) => format!("# The best of {tried} orders that were tried.\n"),
    });
    for list in best.order.lists() {
        let values: Vec<_> = list
            .values
            .iter()
            .map(|v| String::from_utf8_lossy(&printable(v)).into_owned())
            .collect();
        let name = list.name.as_deref().unwrap_or("values");
        text.push_str(&format!("# {name}: {}\n", values.join(" ")));
    }
    let mut text = text.into_bytes();
    text.extend(best.order.listing(lts, &pattern.syntax));
    text
}

/// The same as JSON.
fn json(lts: &Lts, pattern: &Pattern, best: &BestOrder, size: (usize, usize)) -> String {
    let texts = |texts: &mut dyn Iterator<Item = &[u8]>| -> Value {
        texts.map(String::from_utf8_lossy).collect()
    };
    let lists = best.order.lists().iter().map(|list| {
        let values = texts(&mut list.values.iter().map(|value| &value[..]));
        json!({ "name": list.name, "values": values })
    });
    let listing = best.order.listing(lts, &pattern.syntax);
    let labels = listing.split(|&byte| byte == b'\n');
    json_text(&json!({
        "kernel_states": size.0,
        "kernel_transitions": size.1,
        "orders_tried": best.tried,
        "exhaustive": best.exhaustive,
        "lists": lists.collect::<Vec<_>>(),
        "order": texts(&mut labels.filter(|label| !label.is_empty())),
    }))
}
