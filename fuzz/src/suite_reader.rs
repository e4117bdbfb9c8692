//! Test suites: any bytes are tests or mistakes, and what is read can be written and
//! read back the same.

use hyades::conformance::{
    InputId, Machine, OutputId, SuiteError, SuiteForm, SuiteReader, SuiteTest, SuiteWriter,
    WrittenSymbols,
};
use hyades::formats::{LabelTable, StateId};

fn tests(text: &[u8], form: Option<SuiteForm>) -> (Vec<SuiteTest>, bool) {
    let mut reader = SuiteReader::new(text, form);
    let (mut tests, mut wrong) = (Vec::new(), false);
    loop {
        match reader.next_test() {
            Ok(None) => return (tests, wrong),
            Ok(Some(test)) => tests.push(test.clone()),
            Err(SuiteError::Line(diagnostic)) => {
                let at = diagnostic.position.expect("a place in the text");
                let line = text.split(|&b| b == b'\n').nth(at.line as usize - 1);
                assert!(at.column as usize <= line.expect("a line of it").len() + 1);
                wrong = true;
            }
            Err(SuiteError::Io(error)) => panic!("{error}"),
        }
    }
}

const FORMS: [SuiteForm; 3] = [SuiteForm::Text, SuiteForm::JsonLines, SuiteForm::Pairs];

/// Checks one input.
pub fn check(input: &[u8]) {
    for form in [None].into_iter().chain(FORMS.map(Some)) {
        let (read, _) = tests(input, form);
        // A machine that has all inputs, and answers all with one output.
        let (mut inputs, mut outputs) = (LabelTable::new(), LabelTable::new());
        for input in read.iter().flat_map(|test| test.inputs().iter()) {
            inputs.intern(input).expect("few inputs");
        }
        outputs.intern(b"0").expect("one output");
        let mut machine = Machine::new(inputs, outputs, 1);
        for id in machine.input_ids() {
            machine.set(StateId::new(0), id, OutputId::new(0), StateId::new(0));
        }
        for form in FORMS {
            let Ok(mut writer) = SuiteWriter::new(&machine, form, WrittenSymbols::InputsAndOutputs)
            else {
                continue;
            };
            let mut text = Vec::new();
            let mut word: Vec<InputId> = Vec::new();
            for test in &read {
                test.word(&machine, &mut word).expect("the machine has all");
                writer.write(&mut text, &word).expect("writing to memory");
            }
            let (again, wrong) = tests(&text, Some(form));
            assert!(!wrong);
            assert_eq!(again.len(), read.len());
            for (test, before) in again.iter().zip(&read) {
                assert_eq!(test.inputs(), before.inputs());
                test.word(&machine, &mut word).expect("the machine has all");
                assert_eq!(test.doubt(&machine, &word), None);
            }
        }
    }
}
