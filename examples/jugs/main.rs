//! Explores two jugs: how are 4 litres measured with 5 and 3?

mod model;

use hyades::explore::{Answer, ExploreOptions, Questions, explore};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let jugs = model::Jugs {
        sizes: [5, 3],
        goal: 4,
    };
    let search = ExploreOptions {
        questions: Questions {
            find: vec![Box::new(|_, text| text.starts_with(b"MEASURED"))],
            ..Questions::default()
        },
        ..ExploreOptions::default()
    };
    // A sink takes the transitions; this one only lets them be counted.
    let found = explore(&jugs, search, &mut ())?;
    println!("{} states, {} transitions", found.states, found.transitions);
    if let Answer::Yes(trace) = &found.find[0] {
        for &label in &trace.labels {
            println!("{}", found.labels.text(label).escape_ascii());
        }
    }
    Ok(())
}
