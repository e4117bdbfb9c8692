//! Options for columns.

use crate::named;

/// How the buffers within a table are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    /// Not at all; other programs can map such an Arrow file.
    None,
    /// LZ4.
    Lz4,
    /// Zstandard.
    Zstd,
}

named!(Codec, "codec": None = "none", Lz4 = "lz4", Zstd = "zstd");

/// The two forms of Arrow IPC. Readers tell them apart by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ArrowForm {
    /// With a table of contents at the end.
    #[default]
    File,
    /// Without, so that a reader can begin before the end has been written.
    Stream,
}

named!(ArrowForm, "form of Arrow": File = "file", Stream = "stream");

/// What a writer of columns goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteColumns {
    /// How buffers are compressed; none for the habit of the format: Zstandard
    /// in Parquet and partitioned LTSs, nothing in Arrow.
    pub codec: Option<Codec>,
    /// The form of Arrow IPC.
    pub form: ArrowForm,
}
