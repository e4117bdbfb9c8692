//! Names that are none of relations, and what may have been meant.

use std::fmt;

use super::Relation;
use super::reduction::Reduction;

/// The name given is not that of a [`Relation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRelation {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown relation `{}`", self.name)?;
        let instead = INSTEAD.iter().find(|(name, _)| *name == self.name);
        if let Some((_, what)) = instead {
            return write!(f, ": {what}; hyades help relations lists all");
        }
        if self.name.parse::<Reduction>().is_ok() {
            return write!(
                f,
                ": a partial reduction: reduce -r {}; hyades help relations lists all",
                self.name
            );
        }
        if let [first, others @ ..] = &self.similar()[..] {
            write!(f, ", perhaps `{first}`")?;
            others
                .iter()
                .try_for_each(|other| write!(f, " or `{other}`"))?;
            f.write_str("; hyades help relations lists all")?;
        } else {
            let names = Relation::ALL.map(Relation::name).join(", ");
            write!(f, "; there are {names}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRelation {}

/// Names of mCRL2's and of FDR's that are none of relations, or of others here, and what does
/// the same.
const INSTEAD: [(&str, &str); 13] = [
    ("sbisim", "strong does what FDR's does"),
    ("wbisim", "dpweak does what FDR's does"),
    (
        "dbisim",
        "divbranching is finer than FDR's, delay without divergence",
    ),
    (
        "tau_loop_factor",
        "a partial reduction: reduce -r tau-divergence",
    ),
    ("normal", "weaktrace does what FDR's does in the model T"),
    ("diamond", "weaktrace has the traces of FDR's"),
    (
        "model_compress",
        "weaktrace does what FDR's does in the model T",
    ),
    ("stuttering", "of LTSs: branching, or divbranching"),
    ("divergence-preserving-branching", "divbranching"),
    ("tau-scc", "a partial reduction: reduce -r tau-compression"),
    ("determinisation", "minimize --determinize does it"),
    ("determinise", "minimize --determinize does it"),
    ("none", "transcode copies without a reduction"),
];

/// Aliases that are named where one of them may have been meant, besides the names.
const KNOWN_ALIASES: [&str; 5] = ["bisim", "weak", "simulation", "weak-trace", "FD"];

impl UnknownRelation {
    /// The names that may have been meant: the same but for case, underscores, and words
    /// that are left out; those that begin so; or the one that is most alike.
    fn similar(&self) -> Vec<String> {
        let lower = self.name.to_lowercase().replace(['_', ' '], "-");
        let words = [
            "-equivalence",
            "-bisimulation",
            "-bisimilarity",
            "-preorder",
        ];
        let fewer = words.iter().find_map(|word| lower.strip_suffix(word));
        let same = [
            lower.clone(),
            lower.to_uppercase(),
            lower.replace("simulation", "sim"),
            fewer.unwrap_or(&lower).to_owned(),
        ];
        if let Some(same) = same.into_iter().find(|n| Relation::from_name(n).is_some()) {
            return vec![same];
        }
        let names = Relation::ALL.map(Relation::name);
        let begin = |name: &&str| lower.len() >= 3 && name.starts_with(&lower);
        let longer: Vec<String> = names.into_iter().filter(begin).map(str::to_owned).collect();
        if !longer.is_empty() {
            return longer;
        }
        let known = names.into_iter().chain(KNOWN_ALIASES);
        let nearest = hyades_base::nearest(&lower, known);
        nearest.map(str::to_owned).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Relation;

    #[test]
    fn names_that_are_nearly_those_of_relations_are_advised() {
        for (name, meant) in [
            ("brancing", "`branching`"),
            ("stong", "`strong`"),
            ("Strong", "`strong`"),
            ("STRONG", "`strong`"),
            ("fd", "`FD`"),
            ("coupled", "`coupled-sim`"),
            ("obs", "`observational`"),
            ("ready_sim", "`ready-sim`"),
            ("branching-simulation", "`branching-sim`"),
            ("delay-bisimulation", "`delay`"),
            ("possible-future", "`possible-futures`"),
            ("bisimilar", "`bisim`"),
            (
                "failure",
                "`failure-trace` or `failures` or `failures-divergence`",
            ),
        ] {
            let error = name.parse::<Relation>().unwrap_err().to_string();
            let expected =
                format!("unknown relation `{name}`, perhaps {meant}; hyades help relations");
            assert!(error.starts_with(&expected), "{error}");
        }
        let error = "xyzzy".parse::<Relation>().unwrap_err().to_string();
        assert!(
            error.starts_with("unknown relation `xyzzy`; there are"),
            "{error}"
        );
        for (name, instead) in [
            ("determinisation", "minimize --determinize does it"),
            ("none", "transcode copies without a reduction"),
        ] {
            let error = name.parse::<Relation>().unwrap_err().to_string();
            let expected = format!("unknown relation `{name}`: {instead}; hyades help relations");
            assert!(error.starts_with(&expected), "{error}");
        }
        for name in [
            "ready-simulation",
            "contrasimulation",
            "coupled-simulation",
            "bisimulation",
        ] {
            assert!(name.parse::<Relation>().is_ok(), "{name}");
        }
    }
}
