//! Two jugs as a model plugin; the argument is what is wanted.

mod model;

use hyades::explore::ModelError;
use hyades::export_model;
use hyades::plugin::export::Exported;
use model::Jugs;

export_model!(open);

impl Exported for Jugs {}

fn open(argument: Option<&str>) -> Result<Jugs, ModelError> {
    let goal = argument.unwrap_or("4").parse();
    let goal = goal.map_err(|_| ModelError::new("the argument is a number of litres"))?;
    let sizes = [5, 3];
    Ok(Jugs { sizes, goal })
}
