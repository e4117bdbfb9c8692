//! Parquet and Arrow IPC: round trips, tables of other writers, everything that
//! can be wrong with them.
#![cfg(feature = "columns")]

use crate::common;

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::*;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use common::*;
use hyades_formats::columns::{ArrowForm, Codec, WriteColumns};
use hyades_formats::*;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

/// Both formats, both forms of Arrow, all codecs.
fn forms() -> Vec<(Format, WriteOptions)> {
    let mut forms = Vec::new();
    for codec in [None, Some(Codec::None), Some(Codec::Lz4), Some(Codec::Zstd)] {
        for (format, form) in [
            (Format::Parquet, ArrowForm::File),
            (Format::Arrow, ArrowForm::File),
            (Format::Arrow, ArrowForm::Stream),
        ] {
            let columns = WriteColumns { codec, form };
            forms.push((
                format,
                WriteOptions {
                    columns,
                    ..WriteOptions::default()
                },
            ));
        }
    }
    forms
}

fn read(format: Format, bytes: &[u8]) -> (Option<Lts>, Vec<String>) {
    read_format(format, bytes, &ReadOptions::default())
}

/// Rows as another program would have them.
fn table(columns: Vec<(&str, ArrayRef)>, metadata: &[(&str, &str)]) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let pairs = arrow_schema::Metadata::from_iter(metadata.iter().copied());
    let schema = Schema::new(fields).with_metadata(pairs);
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays).unwrap()
}

fn to_parquet(batch: &RecordBatch, group: usize) -> Vec<u8> {
    let kept = batch.schema_ref().metadata().clone();
    let kept = kept
        .into_iter()
        .map(|(k, v)| parquet::file::metadata::KeyValue::new(k, v));
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_key_value_metadata(Some(kept.collect()))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn to_file(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn to_stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// The same table in all forms.
fn everywhere(batch: &RecordBatch) -> Vec<(Format, Vec<u8>)> {
    vec![
        (Format::Parquet, to_parquet(batch, 2)),
        (Format::Arrow, to_file(batch)),
        (Format::Arrow, to_stream(batch)),
    ]
}

fn edges(source: ArrayRef, label: ArrayRef, target: ArrayRef) -> RecordBatch {
    table(
        vec![("src", source), ("label", label), ("dst", target)],
        &[],
    )
}

fn small(values: &[u32]) -> ArrayRef {
    Arc::new(UInt32Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[track_caller]
fn rejects(batch: &RecordBatch, expected: &[&str]) {
    for (format, bytes) in everywhere(batch) {
        let (lts, seen) = read(format, &bytes);
        assert!(lts.is_none(), "{format}");
        let start = |k: usize| expected.get(k).copied().unwrap_or("nothing more");
        for (k, told) in seen.iter().enumerate() {
            assert!(told.starts_with(start(k)), "{format}: {told}");
        }
        assert_eq!(seen.len(), expected.len(), "{format}: {seen:?}");
    }
}

#[test]
fn metadata_and_types() {
    let system = lts(
        1,
        5,
        &[(1, b"b", 0), (0, b"HIDDEN", 1), (1, b"a", 3), (1, b"a", 3)],
    );
    let options = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    let bytes = written_as(Format::Parquet, &system, &options);
    let table = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let schema = Arc::clone(table.schema());
    let expected = [
        ("lts.version", "1"),
        ("lts.states", "5"),
        ("lts.transitions", "3"),
        ("lts.initial", "0"),
        ("lts.hidden", "[\"i\"]"),
        ("lts.sorted", "src,label,dst"),
        (
            "lts.producer",
            concat!("hyades ", env!("CARGO_PKG_VERSION")),
        ),
    ];
    for (key, value) in expected {
        assert_eq!(schema.metadata()[key], value);
    }
    let kinds: Vec<String> = schema
        .fields()
        .iter()
        .map(|f| f.data_type().to_string())
        .collect();
    assert_eq!(kinds, ["UInt32", "Dictionary(Int32, Utf8)", "UInt32"]);
    assert!(schema.fields().iter().all(|f| !f.is_nullable()));
    let plain = written_as(Format::Arrow, &system, &WriteOptions::default());
    let table = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(plain), None).unwrap();
    assert_eq!(table.schema().metadata()["lts.initial"], "1");
    assert!(!table.schema().metadata().contains_key("lts.sorted"));
    // of the labels only those that occur
    let batch = table.into_iter().next().unwrap().unwrap();
    let labels = batch
        .column(1)
        .as_any()
        .downcast_ref::<DictionaryArray<types::Int32Type>>();
    assert_eq!(labels.unwrap().values().len(), 3);
}

#[test]
fn labels_beyond_utf8_are_bytes() {
    let system = lts(0, 2, &[(0, b"a\xff", 1), (1, b"", 0)]);
    for (format, options) in forms() {
        let bytes = written_as(format, &system, &options);
        let (again, seen) = read(format, &bytes);
        assert_eq!(seen, [""; 0]);
        assert_same(&again.unwrap(), &system);
    }
}

#[test]
fn a_visible_i_is_refused() {
    let system = lts(0, 1, &[(0, b"i", 0)]);
    for format in [Format::Parquet, Format::Arrow] {
        let codes = refused(format, &system, &WriteOptions::default());
        assert_eq!(codes, ["label-like-hidden"]);
    }
}

#[test]
fn tables_of_other_writers() {
    let (a, b) = ([0u32, 3, 1], [1u32, 0, 4]);
    fn cast<T: ArrowPrimitiveType>(values: &[u32]) -> ArrayRef
    where
        T::Native: TryFrom<u32>,
    {
        let values = values.iter().map(|&n| T::Native::try_from(n).ok());
        Arc::new(values.collect::<PrimitiveArray<T>>())
    }
    let widths = [
        cast::<Int8Type>,
        cast::<Int16Type>,
        cast::<Int32Type>,
        cast::<Int64Type>,
        cast::<UInt8Type>,
        cast::<UInt16Type>,
        cast::<UInt32Type>,
        cast::<UInt64Type>,
    ];
    let names = ["x", "i", "x"];
    let kinds: Vec<ArrayRef> = vec![
        texts(&names),
        Arc::new(LargeStringArray::from(names.to_vec())),
        Arc::new(StringViewArray::from(names.to_vec())),
        Arc::new(BinaryArray::from_iter_values(names)),
        Arc::new(LargeBinaryArray::from_iter_values(names)),
        Arc::new(BinaryViewArray::from_iter_values(names)),
        Arc::new(names.into_iter().collect::<DictionaryArray<Int8Type>>()),
        Arc::new(names.into_iter().collect::<DictionaryArray<UInt32Type>>()),
        Arc::new(names.into_iter().collect::<DictionaryArray<UInt64Type>>()),
        Arc::new(DictionaryArray::<UInt32Type>::new(
            UInt32Array::from(vec![1, 0, 1]),
            Arc::new(LargeStringArray::from(vec!["i", "x", "unused"])),
        )),
    ];
    let expected = lts(0, 5, &[(0, b"x", 1), (1, b"x", 4), (3, b"HIDDEN", 0)]);
    for label in kinds {
        for state in widths {
            // another order, and a column more
            let batch = table(
                vec![
                    ("dst", state(&b)),
                    ("weight", Arc::new(Float64Array::from(vec![0.5; 3]))),
                    ("label", Arc::clone(&label)),
                    ("src", state(&a)),
                ],
                &[("pandas", "{}")],
            );
            for (format, bytes) in everywhere(&batch) {
                let (lts, seen) = read(format, &bytes);
                assert_eq!(seen, [""; 0], "{format}, {}", label.data_type());
                let lts = lts.unwrap();
                assert_same(&lts, &expected);
                // unused texts of a dictionary are no labels
                assert_eq!(lts.table().len(), 2);
            }
        }
    }
}

#[test]
fn metadata_counts() {
    let make = |metadata: &[(&str, &str)]| {
        table(
            vec![
                ("src", small(&[0, 1])),
                ("label", texts(&["tau", "i"])),
                ("dst", small(&[1, 1])),
            ],
            metadata,
        )
    };
    let batch = make(&[
        ("lts.version", "1"),
        ("lts.states", "4"),
        ("lts.transitions", "2"),
        ("lts.initial", "3"),
        ("lts.hidden", "[\"tau\", \"x\"]"),
    ]);
    for (format, bytes) in everywhere(&batch) {
        let (system, seen) = read(format, &bytes);
        assert_eq!(seen, [""; 0]);
        assert_same(
            &system.unwrap(),
            &lts(3, 4, &[(0, b"HIDDEN", 1), (1, b"i", 1)]),
        );
        let options = ReadOptions {
            hidden: vec![b"i".to_vec()],
            ..ReadOptions::default()
        };
        let (system, _) = read_format(format, &bytes, &options);
        assert_same(
            &system.unwrap(),
            &lts(3, 4, &[(0, b"tau", 1), (1, b"HIDDEN", 1)]),
        );
    }
    for (metadata, told) in [
        (
            ("lts.version", "2"),
            "error columns-metadata: metadata lts.version",
        ),
        (
            ("lts.states", "0"),
            "error columns-metadata: metadata lts.states",
        ),
        (
            ("lts.states", "-1"),
            "error columns-metadata: metadata lts.states",
        ),
        (
            ("lts.states", "+2"),
            "error columns-metadata: metadata lts.states",
        ),
        (
            ("lts.states", "4294967295"),
            "error columns-metadata: metadata lts.states",
        ),
        (
            ("lts.transitions", "x"),
            "error columns-metadata: metadata lts.transitions",
        ),
        (
            ("lts.initial", ""),
            "error columns-metadata: metadata lts.initial",
        ),
        (
            ("lts.hidden", "i"),
            "error columns-metadata: metadata lts.hidden",
        ),
        (
            ("lts.transitions", "3"),
            "error columns-count: metadata announces 3",
        ),
    ] {
        rejects(&make(&[metadata]), &[told]);
    }
    rejects(
        &make(&[("lts.states", "2"), ("lts.initial", "2")]),
        &["error columns-state-range: initial state 2"],
    );
    rejects(
        &make(&[("lts.states", "1")]),
        &[
            "error columns-state-range: row 1 (0 is the first), column `src`: state 1",
            "error columns-state-range: row 0 (0 is the first), column `dst`: state 1",
            "error columns-state-range: row 1 (0 is the first), column `dst`: state 1",
        ],
    );
}

#[test]
fn tolerated() {
    let batch = table(
        vec![
            ("src", small(&[0])),
            ("label", texts(&["tau"])),
            ("dst", small(&[4])),
        ],
        &[("lts.states", "2"), ("lts.transitions", "7")],
    );
    for (format, bytes) in everywhere(&batch) {
        let options = ReadOptions {
            grow: true,
            mode: Mode::Lenient,
            ..ReadOptions::default()
        };
        let (lts, seen) = read_format(format, &bytes, &options);
        assert_eq!(lts.unwrap().states(), 5);
        let codes: Vec<_> = seen.iter().map(|s| s.split(':').next().unwrap()).collect();
        assert_eq!(
            codes,
            [
                "warning columns-state-range",
                "warning columns-count",
                "warning columns-tau-hint"
            ]
        );
    }
}

#[test]
fn far_states_are_damage() {
    let far = |source: u32, target: u32| {
        edges(
            small(&[0, source]),
            texts(&["a", "b"]),
            Arc::new(UInt32Array::from(vec![1, target])),
        )
    };
    let told = "error columns-state-range: 1000000001 states by their numbers, but 2 transitions";
    rejects(&far(1, 1_000_000_000), &[told]);
    let batch = table(
        vec![
            ("src", small(&[0])),
            ("label", texts(&["a"])),
            ("dst", small(&[1])),
        ],
        &[("lts.initial", "1000000000")],
    );
    rejects(
        &batch,
        &["error columns-state-range: 1000000001 states by their numbers, but 1 transition: is"],
    );
    // just beyond what is always allowed
    let states = (1 << 24) + 1;
    let batch = far(1, states - 1);
    rejects(
        &batch,
        &["error columns-state-range: 16777217 states by their numbers"],
    );
    for (format, bytes) in everywhere(&batch) {
        let options = ReadOptions {
            mode: Mode::Lenient,
            ..ReadOptions::default()
        };
        let (lts, seen) = read_format(format, &bytes, &options);
        assert_eq!(lts.unwrap().states(), states as usize);
        let [warning] = &seen[..] else {
            panic!("{seen:?}");
        };
        assert!(warning.starts_with("warning columns-state-range: 16777217 states"));
    }
    // what is announced is asked about too
    let announced = table(
        vec![
            ("src", small(&[0])),
            ("label", texts(&["a"])),
            ("dst", small(&[1])),
        ],
        &[("lts.states", "16777217")],
    );
    let told = "16777217 states are announced for 1 transition";
    rejects(&announced, &[&format!("error columns-state-range: {told}")]);
    for (format, bytes) in everywhere(&announced) {
        let options = ReadOptions {
            mode: Mode::Lenient,
            ..ReadOptions::default()
        };
        let (lts, seen) = read_format(format, &bytes, &options);
        assert_eq!(lts.unwrap().states(), states as usize);
        assert!(seen[0].contains(told), "{seen:?}");
    }
}

#[test]
fn wrong_columns() {
    let name = || texts(&["a"]);
    let one = || small(&[0]);
    rejects(
        &table(
            vec![("from", one()), ("label", name()), ("dst", one())],
            &[],
        ),
        &[
            "error columns-schema: expected one column `src`, found 0: the columns are `from, label, dst`",
        ],
    );
    rejects(
        &edges(one(), one(), one()),
        &["error columns-schema: column `label` is of type UInt32"],
    );
    rejects(
        &edges(name(), name(), one()),
        &["error columns-schema: column `src` is of type Utf8"],
    );
    rejects(
        &edges(one(), name(), Arc::new(Float64Array::from(vec![0.0]))),
        &["error columns-schema: column `dst` is of type Float64"],
    );
    rejects(
        &edges(
            one(),
            Arc::new(DictionaryArray::<Int8Type>::new(
                Int8Array::from(vec![0]),
                Arc::new(Int64Array::from(vec![7])),
            )),
            one(),
        ),
        &["error columns-schema: column `label`"],
    );
}

#[test]
fn wrong_values() {
    let names = || texts(&["a", "b", "c"]);
    rejects(
        &edges(
            Arc::new(Int32Array::from(vec![0, -1, 2])),
            names(),
            Arc::new(Int64Array::from(vec![0, 4294967294, 1])),
        ),
        &[
            "error columns-number: row 1 (0 is the first), column `src`: -1 is no state",
            "error columns-number: row 1 (0 is the first), column `dst`: 4294967294 is no state",
        ],
    );
    rejects(
        &edges(
            Arc::new(Int32Array::from(vec![Some(0), None, Some(2)])),
            names(),
            small(&[0, 0, 0]),
        ),
        &["error columns-null: row 1 (0 is the first): no value in column `src`"],
    );
    rejects(
        &edges(
            small(&[0, 0, 0]),
            Arc::new(StringArray::from(vec![Some("a"), Some("b"), None])),
            small(&[0, 0, 0]),
        ),
        &["error columns-null: row 2 (0 is the first): no value in column `label`"],
    );
    let by_key: DictionaryArray<Int8Type> = [Some("a"), None, Some("a")].into_iter().collect();
    rejects(
        &edges(small(&[0, 0, 0]), Arc::new(by_key), small(&[0, 0, 0])),
        &["error columns-null: row 1 (0 is the first): no value in column `label`"],
    );
}

#[test]
fn numbers_that_are_no_states_whatever_their_width() {
    let rows: [(ArrayRef, &str); 5] = [
        (Arc::new(Int8Array::from(vec![0, -128])), "-128 is no state"),
        (Arc::new(Int16Array::from(vec![0, -1])), "-1 is no state"),
        (
            Arc::new(UInt32Array::from(vec![0, u32::MAX])),
            "4294967295 is no state",
        ),
        (
            Arc::new(Int64Array::from(vec![0, i64::MIN])),
            "-9223372036854775808 is no state",
        ),
        (
            Arc::new(UInt64Array::from(vec![0, u64::MAX])),
            "18446744073709551615 is no state",
        ),
    ];
    for (column, told) in rows {
        let told = format!("error columns-number: row 1 (0 is the first), column `dst`: {told}");
        rejects(&edges(small(&[0, 0]), texts(&["a", "b"]), column), &[&told]);
    }
}

#[test]
fn codecs_that_are_not_built_in() {
    let mut batch = edges(small(&[0]), texts(&["a"]), small(&[0]));
    // a column of no concern may be compressed by anything
    let mut columns = batch.columns().to_vec();
    columns.push(small(&[7]));
    let mut fields: Vec<Field> = batch
        .schema()
        .fields()
        .iter()
        .map(|f| f.as_ref().clone())
        .collect();
    fields.push(Field::new("weight", DataType::UInt32, true));
    batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    let bytes = to_parquet(&batch, 2);
    // In the footer: the path of a column, a list of one text; then its codec.
    let with_codec = |column: &str, codec: u8| {
        let length = [column.len() as u8];
        let path = [&b"\x19\x18"[..], &length, column.as_bytes(), b"\x15\x00"].concat();
        let at = bytes.windows(path.len()).position(|w| w == path).unwrap();
        let mut bytes = bytes.clone();
        bytes[at + path.len() - 1] = codec * 2;
        bytes
    };
    for column in ["src", "label", "dst"] {
        for (codec, name) in [(3, "lzo"), (4, "brotli")] {
            let (lts, seen) = read(Format::Parquet, &with_codec(column, codec));
            assert!(lts.is_none());
            let told = format!(
                "error columns-codec: column `{column}` is compressed by {name}, which is not \
                 supported: write the table with one of none, snappy, gzip, lz4, zstd"
            );
            assert_eq!(seen, [told]);
        }
    }
    let (lts, seen) = read(Format::Parquet, &with_codec("weight", 4));
    assert_eq!(seen, [""; 0]);
    assert!(lts.is_some());
    // what no version of Parquet knows
    let (_, seen) = read(Format::Parquet, &with_codec("label", 9));
    assert!(seen[0].starts_with("error columns-damaged"), "{seen:?}");
}

#[test]
fn nulls_within_a_dictionary() {
    let label = DictionaryArray::<Int8Type>::new(
        Int8Array::from(vec![0, 1, 0]),
        Arc::new(StringArray::from(vec![Some("a"), None])),
    );
    let batch = edges(small(&[0, 0, 0]), Arc::new(label), small(&[0, 0, 0]));
    for bytes in [to_file(&batch), to_stream(&batch)] {
        let (lts, seen) = read(Format::Arrow, &bytes);
        assert!(lts.is_none());
        assert!(
            seen[0].contains("row 1 (0 is the first): no value"),
            "{seen:?}"
        );
    }
}

#[test]
fn streams_of_many_batches_with_growing_dictionaries() {
    let schema = Schema::new(vec![
        Field::new("src", DataType::UInt32, false),
        Field::new(
            "label",
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
            false,
        ),
        Field::new("dst", DataType::UInt32, false),
    ]);
    let names = ["a", "b", "i", "c"];
    let batch = |k: usize| {
        let labels = DictionaryArray::<Int8Type>::new(
            Int8Array::from(vec![k as i8, 0]),
            texts(&names[..=k]),
        );
        let arrays: Vec<ArrayRef> = vec![small(&[k as u32, 9]), Arc::new(labels), small(&[0, 0])];
        RecordBatch::try_new(Arc::new(schema.clone()), arrays).unwrap()
    };
    let mut all: Vec<(u32, &[u8], u32)> = Vec::new();
    for (k, name) in names.iter().enumerate() {
        let name = if *name == "i" {
            b"HIDDEN"
        } else {
            name.as_bytes()
        };
        all.extend([(k as u32, name, 0), (9, &b"a"[..], 0)]);
    }
    let expected = lts(0, 10, &all);
    for handling in [
        arrow_ipc::writer::DictionaryHandling::Resend,
        arrow_ipc::writer::DictionaryHandling::Delta,
    ] {
        let options = arrow_ipc::writer::IpcWriteOptions::default();
        let options = options.with_dictionary_handling(handling);
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        for k in 0..names.len() {
            writer.write(&batch(k)).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let (system, seen) = read(Format::Arrow, &bytes);
        assert_eq!(seen, [""; 0]);
        assert_same(&system.unwrap(), &expected);
        let (system, _) = read_stream(Format::Arrow, &bytes, &ReadOptions::default());
        assert_same(&system.unwrap(), &expected);
    }
}

#[test]
fn empty_tables() {
    let batch = edges(small(&[]), texts(&[]), small(&[]));
    for (format, bytes) in everywhere(&batch) {
        let (system, seen) = read(format, &bytes);
        assert_eq!(seen, [""; 0]);
        assert_same(&system.unwrap(), &lts(0, 1, &[]));
    }
    let nothing = lts(2, 4, &[]);
    for (format, options) in forms() {
        let (system, seen) = read(format, &written_as(format, &nothing, &options));
        assert_eq!(seen, [""; 0]);
        assert_same(&system.unwrap(), &nothing);
    }
}

/// More transitions than a row group has, 2^17 labels, sources in no order.
fn large() -> Vec<(u32, u32, u32)> {
    (0..1_060_000u32)
        .map(|k| (k.wrapping_mul(7919) % 100_003, k % (1 << 17), k % 77_777))
        .collect()
}

#[test]
fn large_tables_and_any_number_of_threads() {
    let rows = large();
    let mut builder = LtsBuilder::new(100_003);
    for k in 0..1 << 17 {
        builder
            .table_mut()
            .intern(format!("l{k}").as_bytes())
            .unwrap();
    }
    for &(s, l, t) in &rows {
        builder.add(StateId::new(s), LabelId::new(l + 1), StateId::new(t));
    }
    let system = builder.build(StateId::new(0)).unwrap();
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    for (format, options) in forms().into_iter().take(3) {
        let [bytes, others] =
            [1, 3].map(|threads| pool(threads).install(|| written_as(format, &system, &options)));
        assert!(others == bytes, "{format}");
        let threads = if format == Format::Parquet {
            &[1, 3][..]
        } else {
            &[3]
        };
        for &threads in threads {
            let (again, seen) = pool(threads).install(|| read(format, &bytes));
            assert_eq!(seen, [""; 0]);
            let again = again.unwrap();
            assert_eq!(again.offsets(), system.offsets());
            assert_eq!(again.targets(), system.targets());
            let same = again.labels().iter().zip(system.labels());
            let mut same = same.map(|(&a, &b)| (again.table().text(a), system.table().text(b)));
            assert!(same.all(|(a, b)| a == b));
        }
    }
    // the same in one row group, and in many
    let column =
        |pick: fn(&(u32, u32, u32)) -> u32| small(&rows.iter().map(pick).collect::<Vec<_>>());
    let labels: StringArray = rows.iter().map(|r| Some(format!("l{}", r.1))).collect();
    let batch = edges(column(|r| r.0), Arc::new(labels), column(|r| r.2));
    for group in [3_000_000, 100_000] {
        let bytes = to_parquet(&batch, group);
        let (again, seen) = read(Format::Parquet, &bytes);
        assert_eq!(seen, [""; 0]);
        let again = again.unwrap();
        assert_eq!(again.offsets(), system.offsets());
        assert_eq!(again.targets(), system.targets());
        // labels are numbered as they come
        let first = again.table().visible().take(3).map(|(_, text)| text);
        assert!(first.eq([&b"l0"[..], b"l1", b"l2"]));
    }
}

fn sample() -> Lts {
    lts(
        1,
        40,
        &[
            (1, b"b", 0),
            (0, b"HIDDEN", 1),
            (1, b"a", 3),
            (1, b"a", 3),
            (30, b"cc", 39),
        ],
    )
}

#[test]
fn every_truncation_is_refused() {
    for (format, options) in forms() {
        let bytes = written_as(format, &sample(), &options);
        for length in 0..bytes.len() {
            let (lts, seen) = read(format, &bytes[..length]);
            // what is missing may be but the mark of the end
            if lts.is_some() {
                assert_eq!(
                    options.columns.form,
                    ArrowForm::Stream,
                    "{format}, {length} bytes"
                );
                assert!(bytes.len() - length <= 8);
                continue;
            }
            assert!(seen[0].starts_with("error columns-"), "{seen:?}");
        }
    }
}

#[test]
fn damage_does_not_panic() {
    for (turn, (format, options)) in forms().into_iter().enumerate() {
        let bytes = written_as(format, &sample(), &options);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= [0x01, 0x80, 0xff][(at + turn) % 3];
            // it may still be a table
            let (_, seen) = read(format, &damaged);
            assert!(seen.iter().all(|s| s.contains(" columns-")), "{seen:?}");
        }
    }
}

#[test]
fn what_follows_a_stream_is_refused() {
    let options = &forms()[2].1;
    let mut bytes = written_as(Format::Arrow, &sample(), options);
    bytes.extend_from_within(..);
    let (lts, seen) = read(Format::Arrow, &bytes);
    assert!(lts.is_none());
    assert!(seen[0].contains("something follows"), "{seen:?}");
}

#[test]
fn buffers_that_claim_too_much() {
    for (format, options) in forms() {
        if format != Format::Arrow || options.columns.codec != Some(Codec::Zstd) {
            continue;
        }
        let long = vec![b'a'; 3000];
        let system = lts(0, 1, &[(0, &long, 0)]);
        let bytes = written_as(format, &system, &options);
        // the text of the dictionary: its length before compression, then zstd
        let claim = [&3000u64.to_le_bytes()[..], b"\x28\xb5\x2f\xfd"].concat();
        let at = bytes.windows(12).position(|w| w == claim).unwrap();
        let mut lies = bytes.clone();
        lies[at..at + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
        let (lts, seen) = read(format, &lies);
        assert!(lts.is_none());
        assert!(seen[0].contains("claims to hold 1099511627776"), "{seen:?}");
    }
}

fn label() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-c !\"#\\\\\t]{0,20}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
    .prop_filter("`i` is hidden", |label| label != b"i")
}

proptest! {
    #[test]
    fn systems_come_back(system in systems(label()), canonical in any::<bool>()) {
        for (format, options) in forms() {
            let options = WriteOptions { canonical, ..options };
            let bytes = written_as(format, &system, &options);
            for read in [read_format, read_stream] {
                let (again, seen) = read(format, &bytes, &ReadOptions::default());
                prop_assert_eq!(seen, [""; 0]);
                let again = again.unwrap();
                if canonical {
                    prop_assert_eq!(written_as(format, &again, &options), bytes.clone());
                } else {
                    assert_same(&again, &system);
                }
            }
        }
    }
}
