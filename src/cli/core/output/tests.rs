//! Where outputs go, and when they appear.

use super::*;
use std::os::unix::fs::symlink;

fn write(path: &Path, text: &str) {
    let mut output = Destination::new(path).unwrap().create().unwrap();
    output.write_all(text.as_bytes()).unwrap();
    assert_eq!(output.bytes(), text.len() as u64);
    output.sync().unwrap();
    if let Some(place) = output.commit().unwrap() {
        sync_name(&place).unwrap();
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_at_the_end_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let mut output = Destination::new(&path).unwrap().create().unwrap();
    output.write_all(b"half").unwrap();
    assert!(!path.exists());
    drop(output);
    assert_eq!(names(dir.path()), [""; 0]);
    write(&path, "whole");
    assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
    assert_eq!(names(dir.path()), ["x"]);
}

#[test]
fn links_are_followed_and_permissions_kept() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("sub/real"), "old").unwrap();
    fs::set_permissions(at("sub/real"), Permissions::from_mode(0o640)).unwrap();
    symlink("sub/real", at("one")).unwrap();
    symlink(at("one"), at("two")).unwrap();
    write(&at("two"), "new");
    assert_eq!(fs::read_to_string(at("sub/real")).unwrap(), "new");
    assert_eq!(fs::metadata(at("sub/real")).unwrap().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(at("one")).unwrap().is_symlink());
    assert_eq!(names(&at("sub")), ["real"]);

    symlink("sub/fresh", at("dangling")).unwrap();
    write(&at("dangling"), "made");
    assert_eq!(fs::read_to_string(at("sub/fresh")).unwrap(), "made");

    symlink("loop", at("loop")).unwrap();
    assert!(Destination::new(&at("loop")).is_err());
}

#[test]
fn what_cannot_be_written_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["", "none/x", "new/", "."] {
        let path = if name.is_empty() {
            PathBuf::new()
        } else {
            dir.path().join(name)
        };
        assert!(Destination::new(&path).is_err(), "{name}");
    }
}

#[test]
fn special_files_are_written_directly() {
    let null = Destination::new(Path::new("/dev/null")).unwrap();
    assert_eq!(null.target, Target::Direct("/dev/null".into()));
    assert!(!null.collides(&null) && !null.is_terminal());
    let stdout = Destination::new(Path::new("-")).unwrap();
    assert!(stdout.is_stdout() && stdout.collides(&Destination::stdout()));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    write(Path::new("/dev/null"), "gone");
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
}

#[test]
fn long_names_work() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("n".repeat(255));
    write(&path, "x");
    assert!(path.exists());
}

/// What of an output in these parts is shown.
fn screened(parts: &[&[u8]]) -> (Vec<u8>, Screen) {
    let mut screen = Screen::default();
    let shown = parts.iter().map(|part| &part[..screen.show(part)]);
    (shown.collect::<Vec<_>>().concat(), screen)
}

#[test]
fn a_terminal_gets_the_beginning() {
    let line = b"a line\n";
    for lines in [0, 1, 199, 200, 201, 1000] {
        let text = line.repeat(lines);
        for size in [1, 7, 100, 1 << 20] {
            let parts: Vec<_> = text.chunks(size).collect();
            let (shown, screen) = screened(&parts);
            assert_eq!(shown, line.repeat(lines.min(200)));
            assert_eq!(screen.is_full, lines > 200);
            assert_eq!(
                (screen.lines, screen.all),
                (lines.min(200) as u64, lines as u64)
            );
        }
    }
    let (shown, screen) = screened(&[&line.repeat(200), b"and one more"]);
    assert_eq!(shown, line.repeat(200));
    assert!(screen.is_full && screen.is_line_open);
}

#[test]
fn a_terminal_gets_no_endless_line() {
    let text = "é".repeat(SHOWN_BYTES);
    let (shown, screen) = screened(&[b"x", text.as_bytes()]);
    assert!(screen.is_full && screen.lines == 0);
    let shown = String::from_utf8(shown).expect("whole characters");
    assert_eq!(shown.len(), SHOWN_BYTES - 1);
}
