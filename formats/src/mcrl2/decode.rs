//! The second layer: packets, which make a growing table of function symbols
//! and shared terms, and deliver terms and numbers.

use std::fmt;

use super::bits::{BitError, BitReader};
use super::terms::{Kind, SymbolId, Term, TermId, Terms};

/// How many bits tell one of `n` things apart, one at the least.
#[inline]
pub(super) fn width(n: usize) -> u32 {
    usize::BITS - (n | 1).leading_zeros()
}

/// The tags of packets.
pub(super) mod tag {
    pub const SYMBOL: u64 = 0;
    pub const SHARED: u64 = 1;
    pub const OUTPUT: u64 = 2;
    pub const NUMBER: u64 = 3;
}

/// Why a stream cannot be decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    /// The kind of diagnostic.
    pub code: &'static str,
    /// The first bit of the field concerned.
    pub bit: u64,
    pub text: String,
}

impl Fault {
    pub fn syntax(bit: u64, text: impl Into<String>) -> Self {
        Self {
            code: "lts-syntax",
            bit,
            text: text.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}", self.bit / 8)?;
        if !self.bit.is_multiple_of(8) {
            write!(f, ", bit {}", self.bit % 8)?;
        }
        write!(f, ": {}", self.text)
    }
}

/// What a stream delivers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packet {
    /// A term, which is [`Decoder::output`] until the next packet; this is
    /// what its symbol means.
    Term(Kind),
    Number(u64),
    End,
}

/// Decodes a stream of packets.
pub(super) struct Decoder<'a> {
    bits: BitReader<'a>,
    terms: Terms,
    /// The widths of numbers of symbols and terms.
    symbol_width: u32,
    term_width: u32,
    /// Where the packet begins that was delivered last.
    at: u64,
    output: SymbolId,
    /// The arguments of the term that was read last.
    arguments: Vec<TermId>,
    /// The name that was read last.
    name: Vec<u8>,
}

impl<'a> Decoder<'a> {
    /// A decoder for what comes after `header` bytes.
    pub fn new(bytes: &'a [u8], header: usize) -> Self {
        let mut bits = BitReader::new(bytes);
        for _ in 0..header {
            // a shorter file ends there, which the first packet tells
            let _ = bits.bits(8);
        }
        Self {
            bits,
            terms: Terms::new(),
            symbol_width: width(1),
            term_width: width(0),
            at: 0,
            output: 0,
            arguments: Vec::new(),
            name: Vec::new(),
        }
    }

    /// The table so far.
    #[inline]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The term that was delivered last.
    #[inline]
    pub fn output(&self) -> Term<'_> {
        Term {
            symbol: self.output,
            kind: self.terms.symbol_kind(self.output),
            arguments: &self.arguments,
        }
    }

    /// Where the packet begins that was delivered last.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// How many bits have been decoded.
    pub fn position(&self) -> u64 {
        self.bits.position()
    }

    /// How many bytes have been decoded.
    pub fn bytes(&self) -> u64 {
        self.bits.position() / 8
    }

    /// What comes next.
    ///
    /// # Errors
    /// If the file ends before it should, or is none of this kind.
    #[inline]
    pub fn next(&mut self) -> Result<Packet, Fault> {
        loop {
            self.at = self.bits.position();
            match self.bits.bits(2).map_err(|e| self.fault(e))? {
                tag::NUMBER => {
                    let value = self.bits.varint().map_err(|e| self.fault(e))?;
                    return Ok(Packet::Number(value));
                }
                tag::OUTPUT => {
                    let symbol = self.symbol()?;
                    let kind = self.terms.symbol_kind(symbol);
                    if matches!(kind, Kind::End | Kind::Int) {
                        return Err(Fault::syntax(
                            self.at,
                            "a term of a symbol that no output may have",
                        ));
                    }
                    self.output = symbol;
                    self.read_arguments(symbol)?;
                    return Ok(Packet::Term(kind));
                }
                tag::SHARED => {
                    let symbol = self.symbol()?;
                    if symbol == 0 {
                        return Ok(Packet::End);
                    }
                    self.shared(symbol)?;
                }
                _ => self.new_symbol()?,
            }
        }
    }

    fn fault(&self, error: BitError) -> Fault {
        match error {
            BitError::End => Fault {
                code: "lts-truncated",
                bit: self.at,
                text: "the file ends within what begins here: it is truncated".into(),
            },
            BitError::Overflow => Fault::syntax(self.at, "a number of more than 64 bits"),
        }
    }

    /// The number of a symbol.
    #[inline]
    fn symbol(&mut self) -> Result<SymbolId, Fault> {
        let width = self.symbol_width;
        let symbol = self.bits.bits(width).map_err(|e| self.fault(e))?;
        if symbol >= self.terms.symbols() as u64 {
            return Err(Fault::syntax(
                self.at,
                format!(
                    "function symbol {symbol} of {}: the file is damaged",
                    self.terms.symbols()
                ),
            ));
        }
        Ok(symbol as SymbolId)
    }

    /// Reads the arguments of a term.
    #[inline]
    fn read_arguments(&mut self, symbol: SymbolId) -> Result<(), Fault> {
        self.arguments.clear();
        let arity = self.terms.arity(symbol);
        let width = self.term_width;
        if arity as u64 > self.bits.left() / u64::from(width) {
            return Err(self.fault(BitError::End));
        }
        for _ in 0..arity {
            let argument = self.bits.bits(width).map_err(|e| self.fault(e))?;
            if argument >= self.terms.len() as u64 {
                return Err(Fault::syntax(
                    self.at,
                    format!(
                        "argument {argument} of {} shared terms: the file is damaged",
                        self.terms.len()
                    ),
                ));
            }
            self.arguments.push(argument as TermId);
        }
        Ok(())
    }

    fn shared(&mut self, symbol: SymbolId) -> Result<(), Fault> {
        if self.terms.symbol_kind(symbol) == Kind::Int {
            let value = self.bits.varint().map_err(|e| self.fault(e))?;
            self.terms.add_number(symbol, value);
        } else {
            self.read_arguments(symbol)?;
            self.terms.add(symbol, &self.arguments);
        }
        self.term_width = width(self.terms.len());
        self.check_size()
    }

    fn new_symbol(&mut self) -> Result<(), Fault> {
        self.name.clear();
        let read = self.bits.string(&mut self.name);
        let arity = read.and_then(|()| self.bits.varint());
        let arity = arity.map_err(|e| self.fault(e))?;
        let arity = usize::try_from(arity).unwrap_or(usize::MAX);
        self.terms.add_symbol(&self.name, arity);
        self.symbol_width = width(self.terms.symbols());
        self.check_size()
    }

    fn check_size(&self) -> Result<(), Fault> {
        match self.terms.is_full() {
            false => Ok(()),
            true => Err(Fault::syntax(
                self.at,
                "2^32 shared terms and more are not supported",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn widths() {
        let widths: Vec<_> = (0..10).map(width).collect();
        assert_eq!(widths, [1, 1, 2, 2, 3, 3, 3, 3, 4, 4]);
        assert_eq!(width(1 << 31), 32);
    }
}
