//! What may be left of the page when the window is gone.
//!
//! The page's process ends when it hears that this one has. One that was stopped hears nothing, and would stay behind for good, with
//! all its memory: so whichever is there still is killed. It keeps nothing that could be lost. It takes one look at each process of
//! the system, some milliseconds, and waits for nothing.

use std::{fs, io, process};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The name of the page's process, in the 15 bytes that the kernel keeps of `WebKitWebProcess`.
const PAGE: &str = "WebKitWebProces";

/// Kills each process of a page that this process has started and that is there still.
pub(crate) fn end() {
    let Ok(processes) = fs::read_dir("/proc") else { return };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for id in ids.filter_map(Pid::from_raw).filter(|id| is_ours(*id)) {
        if let Err(error) = kill(id) {
            eprintln!("fanfare: the page's process {} cannot be ended: {error}", id.as_raw_nonzero());
        }
    }
}

fn kill(id: Pid) -> io::Result<()> {
    // Held before it is looked at again: the toolkit may reap it meanwhile, and another may be given its number.
    let page = match pidfd_open(id, PidfdFlags::empty()) {
        Err(rustix::io::Errno::SRCH) => return Ok(()),
        opened => opened?,
    };
    if is_ours(id) {
        pidfd_send_signal(&page, Signal::KILL)?;
    }
    Ok(())
}

fn is_ours(id: Pid) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()))
        .is_ok_and(|stat| is_page_of(process::id(), &stat))
}

/// Whether `stat`, a process as `proc_pid_stat(5)` writes it, is a page's that `parent` has started and that has not ended.
fn is_page_of(parent: u32, stat: &str) -> bool {
    // Its name stands in brackets, and may hold any letter, brackets too.
    let Some((name, rest)) = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')) else {
        return false;
    };
    let mut fields = rest.split_whitespace();
    let (state, its_parent) = (fields.next(), fields.next());
    name == PAGE && state != Some("Z") && its_parent == Some(parent.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_by_its_name_and_its_parent_and_one_that_has_ended_is_none() {
        let table = [
            ("7 (WebKitWebProces) T 40 7 7 0 -1", true),
            ("7 (WebKitWebProces) S 40 7 7 0 -1", true),
            ("7 (WebKitWebProces) Z 40 7 7 0 -1", false),
            ("7 (WebKitWebProces) T 400 7 7 0 -1", false),
            ("7 (WebKitNetworkPr) T 40 7 7 0 -1", false),
            ("7 (x) T 40 (WebKitWebProces) T 40 7", false),
            ("7 (WebKitWebProces", false),
            ("", false),
        ];
        for (stat, is_page) in table {
            assert_eq!(is_page_of(40, stat), is_page, "{stat}");
        }
    }
}
