//! Temporary files of records: chunks of bytes, of which each has a checksum.

use std::fs::File;
use std::io::{self, Read, Write};

/// Bytes before a chunk: its length and its CRC-32C.
pub(crate) const HEAD: usize = 8;

/// Writes a chunk, of less than 2^32 bytes, at once.
pub(crate) fn write_chunk(file: &mut File, bytes: &[u8], buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    buffer.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    buffer.extend_from_slice(&crc32c::crc32c(bytes).to_le_bytes());
    buffer.extend_from_slice(bytes);
    file.write_all(buffer)
}

/// Reads the next chunk; the number of bytes read, 0 at the end of the file.
///
/// # Errors
/// If it cannot be read, or is not what has been written.
pub(crate) fn read_chunk(file: &mut File, bytes: &mut Vec<u8>) -> io::Result<usize> {
    bytes.clear();
    let mut head = [0; HEAD];
    let mut filled = 0;
    while filled < HEAD {
        match file.read(&mut head[filled..])? {
            0 if filled == 0 => return Ok(0),
            0 => return Err(damaged("it has been shortened")),
            read => filled += read,
        }
    }
    let [a, b, c, d, rest @ ..] = head;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let told = u32::from_le_bytes(rest);
    file.take(length as u64).read_to_end(bytes)?;
    if bytes.len() != length {
        return Err(damaged("it has been shortened"));
    }
    match crc32c::crc32c(bytes) == told {
        true => Ok(HEAD + length),
        false => Err(damaged("it has been changed")),
    }
}

pub(crate) fn damaged(how: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the temporary file is damaged: {how}"),
    )
}
