//! How fast each format is read and written, and how many bytes it takes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hyades::formats::{
    Compression, Compressor, Format, Lts, ReadOptions, Severity, Source, WriteOptions, read_lts,
    write_lts,
};

const HELP: &str = "\
Measures reading and writing of formats, in transitions a second.

Usage: cargo bench --bench formats -- [OPTIONS] INPUT.aut...

Each input is read in AUT, written in every format that can hold it, and read
again; the fastest of some runs counts. What is written goes to memory that is
counted and forgotten; what is read is a file that the system has in memory. The
report, in Markdown, goes to standard output.

Options:
  --format NAME  only this format, and AUT (repeatable; default: bcg, and parquet
                 if it is built in)
  --threads N    threads (default: 1)
  --runs N       the fastest of N runs counts (default: 3)
  --gzip         tell the size of AUT compressed by gzip too, which takes a while
";

struct Options {
    inputs: Vec<PathBuf>,
    formats: Vec<Format>,
    threads: usize,
    runs: usize,
    gzip: bool,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            inputs: Vec::new(),
            formats: Vec::new(),
            threads: 1,
            runs: 3,
            gzip: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            let number = |text: String| match text.parse() {
                Ok(number @ 1..) => Ok(number),
                _ => Err(format!("not a positive number: {text}")),
            };
            match argument.as_str() {
                // cargo bench adds this one.
                "--bench" => {}
                "--format" => {
                    let format = value()?.parse::<Format>().map_err(|e| e.to_string())?;
                    options.formats.push(format);
                }
                "--threads" => options.threads = number(value()?)?,
                "--runs" => options.runs = number(value()?)?,
                "--gzip" => options.gzip = true,
                _ => options.inputs.push(argument.into()),
            }
        }
        if options.formats.is_empty() {
            options.formats = vec![Format::Bcg, Format::Parquet];
        }
        options
            .formats
            .retain(|format| format.is_readable() && format.is_writable());
        Ok(options)
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) if !options.inputs.is_empty() => options,
        // Also how `cargo test --all-targets` calls it.
        Ok(_) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("formats: {message}");
            print!("{HELP}");
            return ExitCode::from(2);
        }
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .expect("threads start");
    match pool.install(|| measure_all(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("formats: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(options: &Options) -> io::Result<()> {
    println!(
        "| input | transitions | format | bytes a transition | read, 10⁶/s | written, 10⁶/s |"
    );
    println!("|---|--:|---|--:|--:|--:|");
    let scratch = tempfile::tempdir()?;
    for input in &options.inputs {
        let (lts, reading) = fastest(options.runs, || read(input))?;
        let name = input.file_stem().unwrap_or_default().to_string_lossy();
        let rate = |time: Duration| lts.transitions() as f64 / time.as_secs_f64() / 1e6;
        let row = |format: &str, bytes: u64, reading: Option<Duration>, writing: Duration| {
            println!(
                "| {name} | {} | {format} | {:.2} | {} | {:.1} |",
                lts.transitions(),
                bytes as f64 / lts.transitions() as f64,
                reading.map_or(String::new(), |time| format!("{:.1}", rate(time))),
                rate(writing)
            );
        };
        let (bytes, writing) = fastest(options.runs, || write(&lts, Format::Aut, io::sink()))?;
        row("aut", bytes, Some(reading), writing);
        if options.gzip {
            let (bytes, writing) = fastest(1, || compressed(&lts))?;
            row("aut.gz", bytes, None, writing);
        }
        for &format in &options.formats {
            let path = scratch.path().join("file").with_extension(format.name());
            write(&lts, format, File::create(&path)?)?;
            let (bytes, writing) = fastest(options.runs, || write(&lts, format, io::sink()))?;
            let (again, reading) = fastest(options.runs, || read(&path))?;
            assert_eq!(again.transitions(), lts.transitions());
            row(format.name(), bytes, Some(reading), writing);
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The result of the last run, and the time of the fastest.
fn fastest<T>(runs: usize, work: impl Fn() -> io::Result<T>) -> io::Result<(T, Duration)> {
    let mut best = Duration::MAX;
    let mut last = None;
    for _ in 0..runs {
        drop(last.take());
        let start = Instant::now();
        last = Some(work()?);
        best = best.min(start.elapsed());
    }
    Ok((last.expect("there is a run"), best))
}

fn read(path: &Path) -> io::Result<Lts> {
    let source = Source::open(path, None).map_err(io::Error::other)?;
    read_lts(source, &ReadOptions::default(), &mut |d| {
        if d.severity > Severity::Note {
            eprintln!("{d}");
        }
    })
    .map_err(io::Error::other)
}

/// The number of bytes.
fn write(lts: &Lts, format: Format, output: impl Write) -> io::Result<u64> {
    let mut counted = Counted { output, bytes: 0 };
    let options = WriteOptions::default();
    write_lts(lts, format, &mut counted, &options, &mut |d| {
        eprintln!("{d}")
    })
    .map_err(io::Error::other)?;
    Ok(counted.bytes)
}

/// The number of bytes of AUT compressed by gzip.
fn compressed(lts: &Lts) -> io::Result<u64> {
    let counted = Counted {
        output: io::sink(),
        bytes: 0,
    };
    let mut compressor = Compressor::new(counted, Compression::Gzip)?;
    write(lts, Format::Aut, &mut compressor)?;
    Ok(compressor.finish()?.bytes)
}

/// Counts the bytes that go through.
struct Counted<W> {
    output: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
