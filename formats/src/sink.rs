//! Compressed outputs. The same bytes in give the same bytes out: no time
//! stamps, no names, no dependence on threads.

use std::io::{self, Write};

use crate::format::Compression;

/// A writer that compresses what goes through it.
///
/// [`Compressor::finish`] must be called at the end: what is dropped without
/// is incomplete, which every reader notices.
pub struct Compressor<W: Write> {
    inner: Inner<W>,
    /// What has not reached the compressor, whose output may depend on the
    /// places where its input is cut: it gets blocks of one size.
    block: Vec<u8>,
}

hyades_base::opaque!([W: Write] Compressor<W>);

/// The size of the blocks that are compressed.
const BLOCK: usize = 1 << 16;

enum Inner<W: Write> {
    None(W),
    Gzip(flate2::write::GzEncoder<Patient<W>>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Xz(liblzma::write::XzEncoder<W>),
    Bzip2(bzip2::write::BzEncoder<W>),
}

impl<W: Write> Compressor<W> {
    /// Compresses into `output`, at the level that the tool of that name uses
    /// by default.
    ///
    /// # Errors
    /// If the compressor cannot be set up.
    pub fn new(output: W, compression: Compression) -> io::Result<Self> {
        Self::with_level(output, compression, None)
    }

    /// Compresses into `output` at a level: 0 to 9 for gzip and xz, 1 to 9 for
    /// bzip2, 1 to 19 for zstd; other values count as the nearest of these.
    ///
    /// # Errors
    /// If the compressor cannot be set up.
    pub fn with_level(output: W, compression: Compression, level: Option<u8>) -> io::Result<Self> {
        let level = |usual: u32, least: u32, most: u32| {
            level.map_or(usual, |level| u32::from(level).clamp(least, most))
        };
        let inner = match compression {
            Compression::None => Inner::None(output),
            Compression::Gzip => Inner::Gzip(flate2::write::GzEncoder::new(
                Patient(output),
                flate2::Compression::new(level(6, 0, 9)),
            )),
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(output, level(3, 1, 19) as i32)
                    .map_err(of_memory)?;
                encoder.include_checksum(true)?;
                Inner::Zstd(encoder)
            }
            Compression::Xz => {
                use liblzma::stream::{Check, Stream};
                let stream = Stream::new_easy_encoder(level(6, 0, 9), Check::Crc64)
                    .map_err(|e| of_memory(e.into()))?;
                Inner::Xz(liblzma::write::XzEncoder::new_stream(output, stream))
            }
            Compression::Bzip2 => Inner::Bzip2(bzip2::write::BzEncoder::new(
                output,
                bzip2::Compression::new(level(9, 1, 9)),
            )),
        };
        let block = Vec::new();
        Ok(Self { inner, block })
    }

    /// Writes what is left and gives the output back.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn finish(mut self) -> io::Result<W> {
        self.compress_block()?;
        let mut output = match self.inner {
            Inner::None(w) => w,
            Inner::Gzip(w) => w.finish()?.0,
            Inner::Zstd(w) => w.finish().map_err(of_memory)?,
            Inner::Xz(w) => w.finish().map_err(of_memory)?,
            Inner::Bzip2(w) => w.finish()?,
        };
        output.flush()?;
        Ok(output)
    }

    fn compress_block(&mut self) -> io::Result<()> {
        let written = self.inner.write_all(&self.block);
        self.block.clear();
        written
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if let Inner::None(output) = &mut self.inner {
            return output.write(buf);
        }
        let taken = buf.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&buf[..taken]);
        if self.block.len() == BLOCK {
            self.compress_block()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.compress_block()?;
        self.inner.flush()
    }
}

impl<W: Write> Write for Inner<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Inner::None(w) => w.write(buf),
            Inner::Gzip(w) => w.write(buf),
            Inner::Zstd(w) => w.write(buf).map_err(of_memory),
            Inner::Xz(w) => w.write(buf).map_err(of_memory),
            Inner::Bzip2(w) => w.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Inner::None(w) => w.flush(),
            Inner::Gzip(w) => w.flush(),
            Inner::Zstd(w) => w.flush().map_err(of_memory),
            Inner::Xz(w) => w.flush().map_err(of_memory),
            Inner::Bzip2(w) => w.flush(),
        }
    }
}

/// Tries again what a signal has interrupted: flate2 does not where it writes the end.
struct Patient<W>(W);

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        retried(|| self.0.write(buf))
    }

    fn flush(&mut self) -> io::Result<()> {
        retried(|| self.0.flush())
    }
}

fn retried<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// That there is no memory left.
pub(crate) fn no_memory() -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, "cannot allocate memory")
}

/// Gives the errors by which zstd and liblzma tell that they lack memory the
/// kind [`io::ErrorKind::OutOfMemory`]; leaves others alone. (The other
/// libraries allocate as all Rust code does.)
pub(crate) fn of_memory(error: io::Error) -> io::Error {
    let lzma = error
        .get_ref()
        .and_then(|e| e.downcast_ref::<liblzma::stream::Error>());
    if lzma == Some(&liblzma::stream::Error::Mem) || error.to_string() == zstd_lacks_memory() {
        return no_memory();
    }
    error
}

/// What zstd says then; the crate `zstd` keeps the text of an error only.
fn zstd_lacks_memory() -> &'static str {
    // ZSTD_error_memory_allocation, whose number zstd promises to keep.
    zstd::zstd_safe::get_error_name(64usize.wrapping_neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let text: Vec<u8> = (0..40_000u32)
            .flat_map(|k| {
                format!("({k}, A, {})\n", k.wrapping_mul(2_654_435_761) >> 12).into_bytes()
            })
            .collect();
        for compression in [
            Compression::None,
            Compression::Gzip,
            Compression::Zstd,
            Compression::Xz,
            Compression::Bzip2,
        ] {
            let compressed = |size: usize| {
                let mut output = Compressor::new(Vec::new(), compression).unwrap();
                for part in text.chunks(size) {
                    output.write_all(part).unwrap();
                }
                output.finish().unwrap()
            };
            let whole = compressed(text.len());
            for size in [777, 15_000, 65_536, 100_001] {
                assert!(compressed(size) == whole, "{compression} {size}");
            }
        }
    }

    /// Is interrupted every other time, and takes some bytes only.
    #[derive(Default)]
    struct Interrupted {
        bytes: Vec<u8>,
        calls: u32,
    }

    impl Interrupted {
        fn call(&mut self) -> io::Result<()> {
            self.calls += 1;
            match self.calls % 2 {
                1 => Err(io::ErrorKind::Interrupted.into()),
                _ => Ok(()),
            }
        }
    }

    impl Write for Interrupted {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.call()?;
            let taken = buf.len().min(5);
            self.bytes.extend_from_slice(&buf[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn signals_interrupt_nothing() {
        for compression in [
            Compression::None,
            Compression::Gzip,
            Compression::Zstd,
            Compression::Xz,
            Compression::Bzip2,
        ] {
            let text = "(0, A, 1)\n".repeat(10_000);
            let mut plain = Compressor::new(Vec::new(), compression).unwrap();
            plain.write_all(text.as_bytes()).unwrap();
            let mut output = Compressor::new(Interrupted::default(), compression).unwrap();
            output.write_all(text.as_bytes()).unwrap();
            let bytes = output.finish().unwrap().bytes;
            assert!(bytes == plain.finish().unwrap(), "{compression}");
        }
    }

    #[test]
    fn a_lack_of_memory_is_known_as_such() {
        assert!(
            zstd_lacks_memory().contains("memory"),
            "{}",
            zstd_lacks_memory()
        );
        for error in [
            io::Error::other(zstd_lacks_memory()),
            liblzma::stream::Error::Mem.into(),
        ] {
            assert_eq!(of_memory(error).kind(), io::ErrorKind::OutOfMemory);
        }
        for error in [
            io::Error::other("Data corruption detected"),
            liblzma::stream::Error::Data.into(),
        ] {
            assert_ne!(of_memory(error).kind(), io::ErrorKind::OutOfMemory);
        }
    }
}
