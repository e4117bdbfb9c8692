#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hyades_fuzz::plts_reader::check(data));
