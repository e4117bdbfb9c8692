#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hyades_fuzz::bcg_reader::check(data));
