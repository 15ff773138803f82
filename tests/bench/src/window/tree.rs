//! A process with all its descendants: their memory and CPU time.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    time::Duration,
};

use crate::cpu;

/// The tree below a process, itself included, as it is now.
pub(super) fn below(root: u32) -> io::Result<BTreeSet<u32>> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // One that ended in the meantime has no parent.
        if let Some(parent) = fs::read_to_string(entry.path().join("stat")).ok().as_deref().and_then(parent) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut tree = BTreeSet::new();
    let mut found = vec![root];
    while let Some(process) = found.pop() {
        // A process is met once, so this ends.
        if tree.insert(process) {
            found.extend(children.get(&process).into_iter().flatten());
        }
    }
    Ok(tree)
}

/// The parent in a line of `/proc/PID/stat`. The name before it is in brackets and may hold anything.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// The memory of a tree in MiB: each page divided by the number of processes that share it.
pub(super) fn pss_mib(root: u32) -> io::Result<f64> {
    let mut kib = 0;
    for process in below(root)? {
        let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
        kib += line.trim().trim_end_matches(" kB").parse::<u32>().unwrap_or(0);
    }
    Ok(f64::from(kib) / 1024.0)
}

/// The CPU time that the living threads of a tree have used.
pub(super) fn cpu(root: u32) -> io::Result<Duration> {
    below(root)?.into_iter().map(cpu::of_process).sum()
}

#[cfg(test)]
mod tests {
    use std::process::{self, Command};

    use super::*;

    #[test]
    fn a_parent_is_read_behind_any_name() {
        assert_eq!(parent("42 (sleep) S 7 42 7 0"), Some(7));
        assert_eq!(parent("42 (a) S 1 (b) R 9 42 7 0"), Some(9));
        assert_eq!(parent("42 (broken"), None);
    }

    #[test]
    fn a_child_is_in_the_tree_and_its_memory_counts() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let tree = below(process::id()).unwrap();
        assert!(tree.contains(&process::id()) && tree.contains(&child.id()), "{tree:?}");
        assert!(!below(child.id()).unwrap().contains(&process::id()), "a parent is not below its child");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
