//! Scripts of verification in the language of CADP's `svl` (Garavel and Lang, *SVL: a
//! scripting language for compositional verification*, FORTE 2001).
//!
//! [`parse`] reads a script as a whole; [`expand`] spells out strategies of reduction
//! (`leaf`, `root leaf`, `node`); [`Translation`] writes the script as a program for a
//! Bourne shell, which calls the commands of Hyades. Nothing here runs anything.

mod expand;
mod lex;
mod parse;
mod print;
mod shell;
mod survey;
pub mod syntax;
mod text;

#[cfg(test)]
mod tests;

pub use expand::expand;
pub use parse::{Options, SyntaxError, parse};
pub use shell::{Settings, Translation};
pub use survey::{
    Change, CompiledSource, FormulaSource, FormulaUse, HeldParts, OPERAND, OperatorUse,
    RelationUse, Role, Target, compiled_sources, formulas, held_parts, inputs, operators, refusals,
    relations, targets,
};
pub use text::{encoded, shell_word};
