#![no_main]

use std::panic;

use hyades_formats::columns::is_guarded;

/// Panics that the reader makes errors of are none to the fuzzer, whose hook
/// would abort.
fn tolerate_guarded_panics() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !is_guarded() {
            hook(info);
        }
    }));
}

libfuzzer_sys::fuzz_target!(
    init: tolerate_guarded_panics(),
    |data: &[u8]| hyades_fuzz::columns_reader::check(data)
);
