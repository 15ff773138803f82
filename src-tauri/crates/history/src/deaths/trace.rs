//! What a program really asked the system to write to a history, and when it asked for it to be flushed: from `strace`.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::FILE;

/// A file whose writes are followed. SQLite's `-shm` is not: it is made anew when a file is opened after a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    File,
    Log,
}

/// What the program did, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Write {
        part: Part,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        part: Part,
        length: usize,
    },
    /// What was written to it before survives a power cut from now on.
    Flush {
        part: Part,
    },
    /// A line that it said.
    Said(String),
}

/// Whether this system lets one process follow another.
pub(super) fn is_possible() -> bool {
    let mut command = Command::new("strace");
    command.args(["-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs the ignored test `name` of this executable with an environment variable, and tells what it did to the history.
pub(super) fn of_test(name: &str, (variable, folder): (&str, &Path)) -> Vec<Event> {
    let traces = tempfile::tempdir().unwrap();
    let done = Command::new("strace")
        // One trace a thread, so that no call is cut in two by another thread's; all text in hexadecimal; files by their names.
        .args(["-ff", "-qq", "-xx", "-y", "-s", "1000000", "-e", "signal=none"])
        .args(["-e", "trace=write,pwrite64,ftruncate,fsync,fdatasync", "-o"])
        .arg(traces.path().join("trace"))
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", name])
        .env(variable, folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let by_thread = fs::read_dir(traces.path()).unwrap().map(|entry| {
        let trace = fs::read_to_string(entry.unwrap().path()).unwrap();
        trace.lines().filter_map(event).collect::<Vec<Event>>()
    });
    let wrote = |events: &Vec<Event>| events.iter().any(|event| matches!(event, Event::Write { .. }));
    let mut writers: Vec<Vec<Event>> = by_thread.filter(wrote).collect();
    assert_eq!(writers.len(), 1, "one thread writes the history");
    writers.remove(0)
}

/// What a line of a trace says, such as `pwrite64(5<\x2f…>, "\x00…", 4, 32) = 4`; nothing where it is of no concern.
fn event(line: &str) -> Option<Event> {
    let (call, rest) = line.split_once('(')?;
    let (descriptor, rest) = rest.split_once('<')?;
    let (path, rest) = rest.split_once('>')?;
    let (arguments, result) = rest.rsplit_once(" = ")?;
    if call == "write" {
        let text = (descriptor == "1").then(|| text_in(arguments))??;
        return Some(Event::Said(String::from_utf8_lossy(&text).trim().to_owned()));
    }
    let name = String::from_utf8(bytes_of(path)?).ok()?;
    let part = match name.rsplit_once('/')?.1.strip_prefix(FILE)? {
        "" => Part::File,
        "-wal" => Part::Log,
        _ => return None,
    };
    let last = || arguments.trim_end_matches(')').rsplit_once(", ")?.1.parse().ok();
    // A call that failed changed nothing.
    let result: usize = result.split(' ').next()?.parse().ok()?;
    match call {
        "pwrite64" => {
            let mut bytes = text_in(arguments)?;
            assert_eq!(bytes.len(), result, "a whole write, and a whole trace of it");
            bytes.truncate(result);
            Some(Event::Write { part, at: last()?, bytes })
        }
        "ftruncate" => Some(Event::Truncate { part, length: last()? }),
        "fsync" | "fdatasync" => Some(Event::Flush { part }),
        _ => None,
    }
}

/// The bytes of the first text among a call's arguments.
fn text_in(arguments: &str) -> Option<Vec<u8>> {
    bytes_of(arguments.split('"').nth(1)?)
}

/// Bytes that are written as `\x2f\x00`.
fn bytes_of(hexadecimal: &str) -> Option<Vec<u8>> {
    let digits = hexadecimal.split("\\x").skip(1);
    digits.map(|digits| u8::from_str_radix(digits, 16).ok()).collect()
}

#[test]
fn lines_of_a_trace_are_what_they_say() {
    // "/d/history.db", "/d/history.db-wal", "/d/history.db-shm" and "pipe:[1]" in hexadecimal.
    let hexadecimal = |text: &str| text.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let [file, log, other, pipe] =
        ["/d/history.db", "/d/history.db-wal", "/d/history.db-shm", "pipe:[1]"].map(hexadecimal);
    let written = |part, at, bytes: &[u8]| Some(Event::Write { part, at, bytes: bytes.to_vec() });
    for (line, expected) in [
        (format!(r#"pwrite64(3<{file}>, "\x00\xff", 2, 1024) = 2"#), written(Part::File, 1_024, &[0, 255])),
        (format!(r#"pwrite64(14<{log}>, "\x61", 1, 0) = 1"#), written(Part::Log, 0, b"a")),
        (format!("fdatasync(4<{log}>)                 = 0"), Some(Event::Flush { part: Part::Log })),
        (format!("fsync(4<{file}>) = 0"), Some(Event::Flush { part: Part::File })),
        (format!("ftruncate(4<{log}>, 0) = 0"), Some(Event::Truncate { part: Part::Log, length: 0 })),
        (format!(r#"write(1<{pipe}>, "\x61\x20\x37\x0a", 4) = 4"#), Some(Event::Said("a 7".into()))),
        (format!(r#"write(2<{pipe}>, "\x61", 1) = 1"#), None),
        (format!("ftruncate(4<{other}>, 32768) = 0"), None),
        (format!("fsync(4<{file}>) = -1 EIO (Input/output error)"), None),
        ("+++ exited with 0 +++".into(), None),
    ] {
        assert_eq!(event(&line), expected, "{line}");
    }
}
