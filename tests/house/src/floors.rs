//! Who may know whom. The plan of the house as a table, and the check of a dependency graph against it.
//!
//! A room knows only rooms below its floor, and where the plan lists what it knows, only those (and the units, which all may
//! know). Tests may know more: the rules below hold for what ships, except that `tauri` and the driver's bindings are kept
//! out of other rooms' tests too.

use std::collections::{BTreeMap, BTreeSet};

use crate::Finding;

/// A package and the packages it depends on, by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Node {
    /// A package of this workspace.
    pub member: bool,
    /// What it is built with: normal and build dependencies.
    pub knows: BTreeSet<String>,
    /// What only its tests are built with.
    pub tests_know: BTreeSet<String>,
}

/// The packages of the workspace and all libraries below them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Graph {
    /// By package name.
    pub packages: BTreeMap<String, Node>,
}

/// What kind of room a package is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Part of the product, on a floor; `Some` lists what it may know besides the units.
    Shipped { floor: u8, knows: Option<&'static [&'static str]> },
    /// The simulated rig: outside the house, and reached as a file, an address or a process, never as a crate.
    Simulated,
    /// A part of the tests.
    Test,
}

const UNITS: &str = "fanfare-units";

const fn on(floor: u8) -> Kind {
    Kind::Shipped { floor, knows: None }
}

const fn only(floor: u8, knows: &'static [&'static str]) -> Kind {
    Kind::Shipped { floor, knows: Some(knows) }
}

/// The plan. A package that is not here has no place in the workspace.
const PLAN: &[(&str, Kind)] = &[
    ("fanfare", on(4)),
    ("fanfarectl", on(4)),
    ("fanfare-controld", only(4, &["fanfare-cooling", "fanfare-rig"])),
    ("fanfare-probe", only(4, &["fanfare-rig"])),
    ("fanfare-engine", on(3)),
    ("fanfare-advisor", only(2, &["fanfare-ledger", "fanfare-platforms"])),
    ("fanfare-exporter", only(2, &["fanfare-rig", "fanfare-ledger", "fanfare-platforms"])),
    ("fanfare-cooling", only(2, &["fanfare-rig"])),
    ("fanfare-harden", only(2, &[])),
    ("fanfare-rig", on(1)),
    ("fanfare-history", on(1)),
    ("fanfare-ledger", on(1)),
    ("fanfare-platforms", on(1)),
    ("fanfare-alerts", on(1)),
    ("fanfare-vault", on(1)),
    (UNITS, on(0)),
    ("fanfare-dbfile", on(0)),
    ("fanfare-sim-state", Kind::Simulated),
    ("fanfare-sim-nvml", Kind::Simulated),
    ("fanfare-sim", Kind::Simulated),
    ("fanfare-testkit", Kind::Test),
    ("fanfare-house", Kind::Test),
    ("fanfare-bench", Kind::Test),
];

/// Libraries that only the named packages may reach, over any number of steps.
const GUARDED: &[(&str, &[&str])] = &[
    ("tauri", &["fanfare"]),
    // The bench times the same driver calls in a bare loop, beside the probe's sweep.
    ("nvml-wrapper", &["fanfare-probe", "fanfare-controld", "fanfare-bench"]),
    ("nvml-wrapper-sys", &["fanfare-probe", "fanfare-controld", "fanfare-bench", "fanfare-sim-nvml"]),
];

fn kind_of(package: &str) -> Option<Kind> {
    PLAN.iter().find(|(name, _)| *name == package).map(|(_, kind)| *kind)
}

/// Everything in the graph that breaks the plan, in the order of the packages' names.
#[must_use]
pub fn violations(graph: &Graph) -> Vec<Finding> {
    let members = graph.packages.iter().filter(|(_, node)| node.member);
    let mut findings = Vec::new();
    for (name, node) in members {
        match kind_of(name) {
            None => findings.push(Finding::new(name, "has no place in the plan of the house")),
            Some(kind) => findings.extend(room_violations(graph, name, kind, node)),
        }
        findings.extend(guarded_violations(graph, name, node));
    }
    findings
}

fn room_violations(graph: &Graph, name: &str, kind: Kind, node: &Node) -> Vec<Finding> {
    let known_rooms =
        node.knows.iter().filter(|known| graph.packages.get(*known).is_some_and(|known| known.member));
    known_rooms
        .filter_map(|known| {
            refusal(kind, known).map(|why| Finding::new(name, format!("knows {known}: {why}")))
        })
        .collect()
}

/// Why a room of this kind may not know the other room, if so.
fn refusal(kind: Kind, known: &str) -> Option<&'static str> {
    // A package without a place is reported once, for itself.
    let known_kind = kind_of(known)?;
    match (kind, known_kind) {
        (Kind::Test, _) => None,
        (_, Kind::Test) => Some("only tests may know a part of the tests"),
        (Kind::Simulated, Kind::Simulated) => None,
        (Kind::Simulated, Kind::Shipped { .. }) => {
            (known != UNITS).then_some("the simulated rig knows nothing of the product")
        }
        (Kind::Shipped { .. }, Kind::Simulated) => {
            Some("no shipped room knows the simulated rig; it is reached as a file, an address or a process")
        }
        (Kind::Shipped { floor, knows }, Kind::Shipped { floor: known_floor, .. }) => {
            if known_floor >= floor {
                Some("a room knows only rooms below its floor")
            } else if known != UNITS && knows.is_some_and(|listed| !listed.contains(&known)) {
                Some("the plan does not list it among what this room knows")
            } else {
                None
            }
        }
    }
}

fn guarded_violations(graph: &Graph, name: &str, node: &Node) -> Vec<Finding> {
    let reached = reached(graph, node);
    GUARDED
        .iter()
        .filter(|(library, allowed)| reached.contains(*library) && !allowed.contains(&name))
        .map(|(library, allowed)| {
            Finding::new(name, format!("reaches {library}, which is for {} alone", allowed.join(", ")))
        })
        .collect()
}

/// All packages below a room, its tests' own dependencies included. Each package is visited once.
fn reached<'graph>(graph: &'graph Graph, room: &'graph Node) -> BTreeSet<&'graph str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = room.knows.iter().chain(&room.tests_know).map(String::as_str).collect();
    while let Some(name) = open.pop() {
        if reached.insert(name)
            && let Some(node) = graph.packages.get(name)
        {
            open.extend(node.knows.iter().map(String::as_str));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph from `room -> known` lines; `room ~> known` is a dependency of tests. Names with `fanfare` are members.
    fn graph(lines: &[&str]) -> Graph {
        let mut graph = Graph::default();
        let ensure = |graph: &mut Graph, name: &str| {
            graph.packages.entry(name.to_owned()).or_default().member = name.starts_with("fanfare");
        };
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            ensure(&mut graph, words[0]);
            ensure(&mut graph, words[2]);
            let node = graph.packages.get_mut(words[0]).unwrap();
            let edges = if words[1] == "~>" { &mut node.tests_know } else { &mut node.knows };
            edges.insert(words[2].to_owned());
        }
        graph
    }

    #[test]
    fn rooms_that_keep_to_the_plan_pass() {
        let lines = [
            "fanfare -> fanfare-engine",
            "fanfare -> tauri",
            "fanfarectl -> fanfare-engine",
            "fanfare-engine -> fanfare-rig",
            "fanfare-engine -> fanfare-advisor",
            "fanfare-advisor -> fanfare-ledger",
            "fanfare-probe -> fanfare-rig",
            "fanfare-probe -> nvml-wrapper",
            "nvml-wrapper -> nvml-wrapper-sys",
            "fanfare-controld -> fanfare-cooling",
            "fanfare-controld -> nvml-wrapper",
            "fanfare-cooling -> fanfare-units",
            "fanfare-rig -> fanfare-units",
            "fanfare-sim-nvml -> fanfare-sim-state",
            "fanfare-sim-nvml -> nvml-wrapper-sys",
            // Tests may start the simulated rig.
            "fanfare-probe ~> fanfare-sim-state",
            "fanfare-engine ~> fanfare-testkit",
            "fanfare-testkit -> fanfare-sim-state",
        ];
        assert_eq!(violations(&graph(&lines)), []);
    }

    #[test]
    fn each_way_to_break_the_plan_is_named() {
        let below = "a room knows only rooms below its floor";
        let unlisted = "the plan does not list it among what this room knows";
        let cases = [
            // Up, and across on each floor.
            ("fanfare-rig -> fanfare-engine", "fanfare-rig", below),
            ("fanfare-units -> fanfare-rig", "fanfare-units", below),
            ("fanfare-alerts -> fanfare-history", "fanfare-alerts", below),
            ("fanfare-advisor -> fanfare-exporter", "fanfare-advisor", below),
            ("fanfarectl -> fanfare-probe", "fanfarectl", below),
            // Down, and yet not listed.
            ("fanfare-probe -> fanfare-engine", "fanfare-probe", unlisted),
            ("fanfare-controld -> fanfare-engine", "fanfare-controld", unlisted),
            ("fanfare-advisor -> fanfare-rig", "fanfare-advisor", unlisted),
            ("fanfare-harden -> fanfare-rig", "fanfare-harden", unlisted),
            (
                "fanfare-engine -> fanfare-sim-state",
                "fanfare-engine",
                "no shipped room knows the simulated rig",
            ),
            ("fanfare-sim -> fanfare-rig", "fanfare-sim", "the simulated rig knows nothing of the product"),
            ("fanfare-rig -> fanfare-testkit", "fanfare-rig", "only tests may know a part of the tests"),
            ("fanfare-cellar -> fanfare-units", "fanfare-cellar", "has no place in the plan of the house"),
            ("fanfare-engine -> tauri", "fanfare-engine", "reaches tauri, which is for fanfare alone"),
            ("fanfare-rig ~> tauri", "fanfare-rig", "reaches tauri, which is for fanfare alone"),
            ("fanfare-engine -> nvml-wrapper", "fanfare-engine", "reaches nvml-wrapper, which"),
            ("fanfare-sim -> nvml-wrapper-sys", "fanfare-sim", "reaches nvml-wrapper-sys, which"),
        ];
        for (line, place, says) in cases {
            let found = violations(&graph(&[line]));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert_eq!(found[0].place, place, "{line}");
            assert!(found[0].says.contains(says), "{line}: {}", found[0].says);
        }
    }

    #[test]
    fn a_guarded_library_is_found_over_any_number_of_steps() {
        let lines = ["fanfare-engine -> helper", "helper -> other", "other -> tauri", "other -> helper"];
        let found = violations(&graph(&lines));
        assert_eq!(found, [Finding::new("fanfare-engine", "reaches tauri, which is for fanfare alone")]);
    }
}
