//! A hub that records a simulated rig, and what is asked of it.

use std::{ops::ControlFlow, path::Path, time::Duration};

use fanfare_engine::{
    Hub, RigState,
    api::{CourseQuestion, Reply, Request},
    profile::Profile,
};
use fanfare_history::{Past, Quantity, Reader, Series};
use fanfare_rig::CardUuid;
use fanfare_testkit::{PATIENCE, SimRig, hub_setup, until};
use tokio::time::{sleep, timeout};

/// A minute around a state, in milliseconds since 1970.
pub(crate) fn around(state: &RigState) -> (i64, i64) {
    let now = state.snapshot.as_ref().unwrap().at.wall.as_millisecond();
    (now - 60_000, now + 60_000)
}

pub(crate) fn start(directory: &Path, profile: Profile, rig: &SimRig) -> Hub {
    Hub::start(hub_setup(directory, profile, rig.probe())).unwrap()
}

pub(crate) fn uuid(rig: &SimRig, slot: usize) -> CardUuid {
    rig.world.card(slot).unwrap().unwrap().uuid.parse().unwrap()
}

/// Waits until so many more sweeps were published.
pub(crate) async fn sweeps(hub: &Hub, more: u64) {
    let now = hub.rig().borrow().snapshot.as_ref().map_or(0, |snapshot| snapshot.sweep);
    let came =
        |state: &RigState| state.snapshot.as_ref().is_some_and(|snapshot| snapshot.sweep >= now + more);
    until(hub, "more sweeps", came).await;
}

/// The block that answers a question.
pub(crate) async fn course(hub: &Hub, question: CourseQuestion) -> Vec<u8> {
    match hub.ask(Request::Course { question }).await.unwrap() {
        Reply::Course { block } => block.0,
        other => panic!("{other:?}"),
    }
}

/// The first answer to a question for which `wanted` holds: what was read a moment ago is not in it before the file is open.
pub(crate) async fn course_with(
    hub: &Hub,
    question: &CourseQuestion,
    wanted: impl Fn(&Course) -> bool,
) -> Course {
    let found = timeout(PATIENCE, async {
        loop {
            let answer = Course::read(&course(hub, question.clone()).await);
            if wanted(&answer) {
                return answer;
            }
            sleep(Duration::from_millis(20)).await;
        }
    });
    found.await.unwrap()
}

/// A block, read as the page reads it.
#[derive(Debug, PartialEq)]
pub(crate) struct Course {
    pub(crate) level: u32,
    /// In seconds since 1970.
    pub(crate) times: Vec<f64>,
    /// Least and greatest of each time; none is a gap.
    pub(crate) curves: Vec<Vec<Option<(f64, f64)>>>,
}

impl Course {
    pub(crate) fn read(block: &[u8]) -> Self {
        let small = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
        let number = |at: usize| f64::from_le_bytes(block[at..at + 8].try_into().unwrap());
        assert_eq!(&block[..4], b"FHQ1");
        let (times, curves) = (small(8) as usize, small(12) as usize);
        let curve_bytes = 24 * times + times.next_multiple_of(8);
        assert_eq!(block.len(), 24 + 8 * times + curves * curve_bytes);
        let curve = |curve: usize| {
            let begin = 24 + 8 * times + curve * curve_bytes;
            let point = |at: usize| {
                let is_there = block[begin + 24 * times + at] == 1;
                is_there.then(|| (number(begin + 8 * at), number(begin + 8 * (times + at))))
            };
            (0..times).map(point).collect()
        };
        Self {
            level: small(4),
            times: (0..times).map(|at| number(24 + 8 * at)).collect(),
            curves: (0..curves).map(curve).collect(),
        }
    }

    /// The values of a curve without its gaps; each must be one value alone.
    #[expect(clippy::float_cmp, reason = "whole numbers are exact")]
    pub(crate) fn values(&self, curve: usize) -> Vec<f64> {
        let points = self.curves[curve].iter().flatten();
        points.inspect(|(least, greatest)| assert_eq!(least, greatest)).map(|(least, _)| *least).collect()
    }
}

/// What a walk through the file shows of a series.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) session: u32,
    pub(crate) every: Duration,
    pub(crate) boottime_us: i64,
    pub(crate) value: Option<i64>,
}

/// Every sweep in the file, with its value of one series.
pub(crate) fn stored(directory: &Path, subject: &str, quantity: Quantity) -> Vec<Step> {
    let Some(reader) = Reader::open(directory).unwrap() else { return Vec::new() };
    let mut steps = Vec::new();
    let series = [Series::new(subject, quantity)];
    reader
        .walk(None, &series, |past: &Past<'_>| {
            steps.push(Step {
                session: past.session,
                every: past.every,
                boottime_us: past.boottime_us,
                value: past.values[0],
            });
            ControlFlow::Continue(())
        })
        .unwrap();
    steps
}
