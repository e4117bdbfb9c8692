//! What depends on the reference language.

use hyades_formats::label::gate;
use hyades_formats::named;

/// The language whose customs a network follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// LOTOS: labels of the text in upper case.
    Lotos,
    /// E-LOTOS.
    Elotos,
    /// CCS: hidden is `t`, no termination, labels in upper case.
    Ccs,
    /// CSP: hidden is `t`, termination `delta`, labels in upper case, `\` hides.
    Csp,
    /// mCRL: hidden is `tau`, no termination, `||` communicates.
    Mcrl,
}

named! {
    Language, "language":
    Lotos = "lotos",
    Elotos = "elotos",
    Ccs = "ccs",
    Csp = "csp",
    Mcrl = "mcrl",
}

/// What the user sets, whatever the language says; nothing by default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Customs {
    /// The language, whatever the header says.
    pub language: Option<Language>,
    /// The labels that are hidden in components; the first is what hidden is
    /// called in the text. The language's if empty.
    pub hidden: Vec<Vec<u8>>,
    /// The gate of termination; none if empty.
    pub termination: Option<Vec<u8>>,
    /// What stands in front of the gates of co-actions.
    pub coaction: Option<Vec<u8>>,
    /// Leave labels of the text as they are written.
    pub keep_case: bool,
}

/// What a network is read and compiled by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// The language, if there is one.
    pub language: Option<Language>,
    /// The labels that are hidden, the first of which the text uses.
    pub hidden: Vec<Vec<u8>>,
    /// The gate of termination.
    pub termination: Option<Vec<u8>>,
    /// What stands in front of the gates of co-actions.
    pub coaction: Vec<u8>,
    /// Whether labels of the text are put in upper case.
    pub upper_case: bool,
}

impl Parameters {
    /// The parameters for a header, or none.
    pub fn new(header: Option<Language>, customs: &Customs) -> Self {
        let language = customs.language.or(header);
        let hidden = match language {
            None | Some(Language::Lotos | Language::Elotos) => "i",
            Some(Language::Ccs | Language::Csp) => "t",
            Some(Language::Mcrl) => "tau",
        };
        let default_termination = match language {
            None | Some(Language::Lotos | Language::Elotos) => "exit",
            Some(Language::Csp) => "delta",
            Some(Language::Ccs | Language::Mcrl) => "",
        };
        let upper = [Language::Lotos, Language::Ccs, Language::Csp];
        let termination = customs.termination.clone();
        let termination = termination.unwrap_or_else(|| default_termination.into());
        Self {
            language,
            hidden: match customs.hidden.is_empty() {
                true => vec![hidden.into()],
                false => customs.hidden.clone(),
            },
            termination: Some(termination).filter(|gate| !gate.is_empty()),
            coaction: customs.coaction.clone().unwrap_or_else(|| b"'".into()),
            upper_case: !customs.keep_case && language.is_some_and(|l| upper.contains(&l)),
        }
    }

    /// Whether a text of the network means the hidden action.
    pub fn is_hidden(&self, label: &[u8]) -> bool {
        self.hidden.iter().any(|hidden| hidden == label)
    }

    /// Whether all operands have to take part in this label.
    pub fn is_termination(&self, label: &[u8]) -> bool {
        let termination = self.termination.as_deref();
        termination.is_some_and(|termination| gate(label) == termination)
    }

    /// A label of the text as it is meant: its bytes, or `None` if it is written
    /// as it is meant. The hidden label, the gate of termination, and names of
    /// classes in sets, such as `[:alpha:]`, stay.
    pub(super) fn meant(&self, written: &[u8]) -> Option<Vec<u8>> {
        let is_lower = u8::is_ascii_lowercase;
        if !self.upper_case || !written.iter().any(is_lower) || self.is_hidden(written) {
            return None;
        }
        let mut meant = written.to_ascii_uppercase();
        if self.is_termination(written) {
            let gate = gate(written);
            meant[..gate.len()].copy_from_slice(gate);
        }
        for from in 0..written.len() {
            if !written[from..].starts_with(b"[:") {
                continue;
            }
            let name = &written[from + 2..];
            let length = name.iter().take_while(|b| b.is_ascii_lowercase()).count();
            if length > 0 && name[length..].starts_with(b":]") {
                let to = from + 2 + length;
                meant[from..to].copy_from_slice(&written[from..to]);
            }
        }
        Some(meant).filter(|meant| meant != written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_languages() {
        let show = |header, customs: &Customs| {
            let p = Parameters::new(header, customs);
            let text = |t: &[u8]| String::from_utf8(t.to_vec()).unwrap();
            format!(
                "{} {} {} {}",
                text(&p.hidden[0]),
                p.termination.as_deref().map_or("-".into(), text),
                text(&p.coaction),
                p.upper_case
            )
        };
        let none = Customs::default();
        assert_eq!(show(None, &none), "i exit ' false");
        assert_eq!(show(Some(Language::Lotos), &none), "i exit ' true");
        assert_eq!(show(Some(Language::Elotos), &none), "i exit ' false");
        assert_eq!(show(Some(Language::Ccs), &none), "t - ' true");
        assert_eq!(show(Some(Language::Csp), &none), "t delta ' true");
        assert_eq!(show(Some(Language::Mcrl), &none), "tau - ' false");
        let customs = Customs {
            language: Some(Language::Csp),
            hidden: vec![b"i".into(), b"tau".into()],
            termination: Some(b"".into()),
            coaction: Some(b"co_".into()),
            keep_case: true,
        };
        assert_eq!(show(Some(Language::Lotos), &customs), "i - co_ false");
    }

    #[test]
    fn upper_case_spares_what_has_a_meaning() {
        let lotos = Parameters::new(Some(Language::Lotos), &Customs::default());
        let meant = |text: &[u8]| lotos.meant(text).map(|t| String::from_utf8(t).unwrap());
        assert_eq!(meant(b"Put !x").as_deref(), Some("PUT !X"));
        assert_eq!(meant(b"PUT !1"), None);
        assert_eq!(meant(b"[[:alpha:]b]").as_deref(), Some("[[:alpha:]B]"));
        assert_eq!(meant(b"[:alpha:]"), None);
        assert_eq!(meant(b"i"), None);
        assert_eq!(meant(b"exit"), None);
        assert_eq!(meant(b"exit !x").as_deref(), Some("exit !X"));
        assert_eq!(meant(b"exits").as_deref(), Some("EXITS"));
    }
}
