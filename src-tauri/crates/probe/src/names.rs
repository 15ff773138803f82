//! Names of the processes on one card: asked for once, when a process is first met, and never more than a name.
//!
//! What the driver calls a process's name may be its whole command line, and a tenant's command line holds keys and addresses that are
//! nobody else's business. So all but the program's own name is dropped here, where it comes in: no line of the probe ever has it.
//!
//! A name is forgotten with its process, as a process id is used again. At most eight processes are asked for in a sweep, of each card:
//! the others get their names in the sweeps after.

use std::{collections::BTreeMap, sync::Arc};

use fanfare_rig::Process;

/// Processes that are asked for in one sweep at most.
const ASKED_A_SWEEP: usize = 8;
/// Letters of a name that are kept.
const LONGEST: usize = 64;
/// What stands for a control character, which a terminal would obey.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// The names of the processes that the last sweep found; none for one whose name the driver did not tell.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: BTreeMap<u32, Option<Arc<str>>>,
}

impl Names {
    /// Names the processes of a sweep, which are all there are. `ask` gets the driver's word for one that was not met before.
    pub(crate) fn name(&mut self, processes: &mut [Process], mut ask: impl FnMut(u32) -> Option<Vec<u8>>) {
        self.known.retain(|pid, _| processes.iter().any(|process| process.pid == *pid));
        let mut asked = 0;
        for process in processes {
            let known = match self.known.get(&process.pid) {
                Some(known) => known.clone(),
                None if asked == ASKED_A_SWEEP => continue,
                None => {
                    asked += 1;
                    let name = ask(process.pid).as_deref().and_then(program);
                    self.known.insert(process.pid, name.clone());
                    name
                }
            };
            process.name = known;
        }
    }
}

/// The name of the program in what the driver says: up to the first NUL or white space, and of that the last part of the path.
fn program(said: &[u8]) -> Option<Arc<str>> {
    let ends = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace() || *byte == b'\x0b';
    let command = said.split(ends).next()?;
    let command = String::from_utf8_lossy(command);
    // White space beyond ASCII ends it, too.
    let command = command.split(char::is_whitespace).next()?;
    let name = command.rsplit('/').next().filter(|name| !name.is_empty())?;
    let shown =
        name.chars().take(LONGEST).map(|letter| if letter.is_control() { REPLACEMENT } else { letter });
    Some(shown.collect::<String>().into())
}

#[cfg(test)]
mod tests {
    use fanfare_rig::{Reading, Reason};

    use super::*;

    fn processes(pids: impl IntoIterator<Item = u32>) -> Vec<Process> {
        let process = |pid| Process { pid, name: None, memory: Reading::missing(Reason::NotSupported) };
        pids.into_iter().map(process).collect()
    }

    fn names(processes: &[Process]) -> Vec<Option<&str>> {
        processes.iter().map(|process| process.name.as_deref()).collect()
    }

    #[test]
    fn of_a_command_line_the_programs_name_alone_is_kept() {
        let long = "x".repeat(65);
        for (said, name) in [
            ("python3", Some("python3")),
            ("/usr/bin/python3", Some("python3")),
            ("/usr/bin/python3 /srv/train.py --api-key sk-secret", Some("python3")),
            ("/usr/bin/python3\0/srv/train.py\0--api-key=sk-secret", Some("python3")),
            ("python3\ttrain.py", Some("python3")),
            ("python3\u{b}train.py", Some("python3")),
            ("python3\u{a0}train.py", Some("python3")),
            ("python3\u{2028}train.py", Some("python3")),
            ("/opt/My Program/run --key sk-secret", Some("My")),
            ("./训练 --key", Some("训练")),
            ("a\u{1b}[31mb", Some("a\u{fffd}[31mb")),
            ("a\u{85}b", Some("a")),
            (&long, Some(&long[..64])),
            ("", None),
            (" --key sk-secret", None),
            ("/usr/bin/", None),
            ("\0python3", None),
        ] {
            assert_eq!(program(said.as_bytes()).as_deref(), name, "{said:?}");
        }
        assert_eq!(
            program(b"/bin/\xff\xfe x").as_deref(),
            Some("\u{fffd}\u{fffd}"),
            "bytes that are no text"
        );
    }

    #[test]
    fn a_process_is_asked_for_once_and_forgotten_when_it_is_gone() {
        let (mut known, mut asked) = (Names::default(), Vec::new());
        let mut sweep = |pids: &[u32], said: &str| {
            let mut found = processes(pids.iter().copied());
            known.name(&mut found, |pid| {
                asked.push(pid);
                (pid != 7).then(|| said.as_bytes().to_vec())
            });
            found.into_iter().map(|process| process.name.as_deref().map(str::to_owned)).collect::<Vec<_>>()
        };
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(sweep(&[5, 7], "first"), [name("first"), None]);
        // Neither the one that has a name nor the one that has none is asked for again.
        assert_eq!(sweep(&[5, 7], "second"), [name("first"), None]);
        assert_eq!(sweep(&[], "third"), [None; 0]);
        // The id is another process's now.
        assert_eq!(sweep(&[5], "fourth"), [name("fourth")]);
        assert_eq!(asked, [5, 7, 5]);
    }

    #[test]
    fn of_many_new_processes_eight_are_asked_for_in_a_sweep() {
        let mut known = Names::default();
        let mut found = processes(1..=20);
        known.name(&mut found, |_| Some(b"a".to_vec()));
        assert_eq!(names(&found).iter().flatten().count(), 8);
        known.name(&mut found, |_| Some(b"a".to_vec()));
        assert_eq!(names(&found).iter().flatten().count(), 16);
        known.name(&mut found, |_| Some(b"a".to_vec()));
        assert_eq!(names(&found), [Some("a"); 20]);
    }
}
