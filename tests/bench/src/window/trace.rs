//! What a page's main thread did in each frame, from Chromium's trace of it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The main thread of a page, as Chromium names it.
const MAIN_THREAD: &str = "CrRendererMain";
/// A task of a thread.
const TASK: &str = "RunTask";
/// A frame of the page begins.
const FRAME: &str = "BeginMainThreadFrame";

/// A trace, as far as it is read.
#[derive(Debug, Deserialize)]
pub(super) struct Trace {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
struct Event {
    name: String,
    pid: i64,
    tid: i64,
    /// When it began, in microseconds.
    #[serde(default)]
    ts: f64,
    /// How long it took, in microseconds.
    #[serde(default)]
    dur: f64,
    /// How much of that its thread ran, in microseconds.
    #[serde(default)]
    tdur: f64,
    #[serde(default)]
    args: Arguments,
}

#[derive(Debug, Default, Deserialize)]
struct Arguments {
    name: Option<String>,
}

type Thread = (i64, i64);

impl Trace {
    /// Milliseconds of CPU that the main thread used in each whole frame: from a frame's begin to the next one's. A page that was there
    /// before has a thread of its own; the one with the most frames counts.
    pub(super) fn work_of_frames(&self) -> Vec<f64> {
        let of_thread = |thread: Thread| self.events.iter().filter(move |event| event.thread() == thread);
        let mut frames: BTreeMap<Thread, Vec<f64>> = BTreeMap::new();
        for event in &self.events {
            if event.name == "thread_name" && event.args.name.as_deref() == Some(MAIN_THREAD) {
                let begins = of_thread(event.thread()).filter(|event| event.name == FRAME);
                frames.insert(event.thread(), begins.map(|event| event.ts).collect());
            }
        }
        let Some((thread, mut begins)) = frames.into_iter().max_by_key(|(_, begins)| begins.len()) else {
            return Vec::new();
        };
        begins.sort_by(f64::total_cmp);
        let mut work = vec![0.0; begins.len() + 1];
        for task in of_thread(thread).filter(|event| event.name == TASK) {
            // A frame begins within the task that makes it, so a task belongs to the frame in which it ends.
            let frame = begins.partition_point(|begin| *begin <= task.ts + task.dur);
            if let Some(work) = work.get_mut(frame) {
                *work += task.tdur / 1e3;
            }
        }
        // What is before the first and after the last begin is no whole frame.
        work.get(1..begins.len()).unwrap_or_default().to_vec()
    }
}

impl Event {
    const fn thread(&self) -> Thread {
        (self.pid, self.tid)
    }
}

/// The 95th percentile, the nearest rank; none of nothing.
pub(super) fn p95(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get((values.len() * 95).div_ceil(100).saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frames_work_is_what_its_main_thread_ran_until_the_next_one() {
        let trace: Trace = serde_json::from_str(
            r#"{"traceEvents": [
                {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "ts": 0, "args": {"name": "CrRendererMain"}},
                {"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "ts": 0, "args": {"name": "Compositor"}},
                {"name": "thread_name", "ph": "M", "pid": 9, "tid": 9, "ts": 0, "args": {"name": "CrRendererMain"}},
                {"name": "BeginMainThreadFrame", "pid": 9, "tid": 9, "ts": 5},
                {"name": "RunTask", "pid": 1, "tid": 1, "ts": 100, "dur": 50, "tdur": 40},
                {"name": "RunTask", "pid": 1, "tid": 1, "ts": 1000, "dur": 3000, "tdur": 2000},
                {"name": "BeginMainThreadFrame", "pid": 1, "tid": 1, "ts": 1010},
                {"name": "RunTask", "pid": 1, "tid": 2, "ts": 4500, "dur": 900, "tdur": 900},
                {"name": "RunTask", "pid": 1, "tid": 1, "ts": 5000, "dur": 600, "tdur": 500},
                {"name": "RunTask", "pid": 1, "tid": 1, "ts": 17000, "dur": 8000, "tdur": 7000},
                {"name": "BeginMainThreadFrame", "pid": 1, "tid": 1, "ts": 17020},
                {"name": "RunTask", "pid": 1, "tid": 1, "ts": 33000, "dur": 900, "tdur": 800},
                {"name": "BeginMainThreadFrame", "pid": 1, "tid": 1, "ts": 33020}
            ]}"#,
        )
        .unwrap();
        // The task around each begin and what follows it: 2 + 0.5 ms and 7 ms. What comes before and after is no whole frame; the
        // other thread's and the other page's are not counted.
        assert_eq!(trace.work_of_frames(), [2.5, 7.0]);
    }

    #[test]
    fn a_trace_without_a_page_has_no_frames() {
        assert!(Trace { events: Vec::new() }.work_of_frames().is_empty());
    }

    #[test]
    fn the_95th_percentile_is_the_nineteenth_of_twenty() {
        assert_eq!(p95((1..=20).map(f64::from).collect()), Some(19.0));
        assert_eq!(p95((1..=90).map(f64::from).collect()), Some(86.0));
        assert_eq!(p95(vec![3.0]), Some(3.0));
        assert_eq!(p95(Vec::new()), None);
    }
}
