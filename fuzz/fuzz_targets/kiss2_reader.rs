#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hyades_fuzz::kiss2_reader::check(data));
