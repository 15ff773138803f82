//! What is kept, and for how long.

use std::time::Duration;

use fanfare_engine::{
    api::{Reply, Request},
    profile::Profile,
    settings::{HistorySettings, SettingsPatch},
    state_db::StateDb,
};
use fanfare_history::{Quantity, Reader, Recorder, Retention, Series, Source, Sweep};
use fanfare_testkit::{PATIENCE, SimRig, eight_answering};
use fanfare_units::{Boottime, Stamp};
use jiff::{Timestamp, ToSpan};

use crate::kit::{start, stored, sweeps};

#[tokio::test]
async fn the_owners_history_holds_nothing_simulated() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Real, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 5).await;
    hub.stop().await;
    let reader = Reader::open(data.path()).unwrap().unwrap();
    assert_eq!(reader.series().unwrap(), []);
}

/// Twenty days of a sweep each half hour until now, of another boot; kept for as long as can be.
fn twenty_days(directory: &std::path::Path) {
    let longest = Retention { raw_days: 60, minute_days: 3_660 };
    let begun = Timestamp::now() - (20 * 24).hours();
    let mut recorder = Recorder::open(directory, longest, begun).unwrap().recorder;
    for half_hour in 0..20 * 48_u32 {
        let passed = Duration::from_secs(1_800) * half_hour;
        let sweep = Sweep {
            at: Stamp {
                wall: begun + passed,
                boottime: Boottime::since_boot(passed),
                boot: "0123456789abcdef0123456789abcdef".parse().unwrap(),
            },
            source: Source { session: 7, every: Duration::from_secs(1_800) },
            values: vec![(Series::new("GPU-1", Quantity::Power), Some(half_hour.into()))],
            marks: Vec::new(),
        };
        recorder.record(&sweep).unwrap();
    }
    recorder.flush().unwrap();
}

fn patch(history: HistorySettings) -> SettingsPatch {
    SettingsPatch { history: Some(history), ..SettingsPatch::default() }
}

#[tokio::test]
async fn what_the_owner_keeps_for_a_shorter_time_goes_at_once_and_nothing_goes_before() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    twenty_days(data.path());
    let kept = HistorySettings { raw_days: 60, minute_days: 400 };
    StateDb::open(data.path()).unwrap().change_settings(&patch(kept)).unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 3).await;
    let of_the_other_boot = || stored(data.path(), "GPU-1", Quantity::Power).len();
    assert_eq!(of_the_other_boot(), 960);
    // Two days of half hours, and the hour in which the second began.
    let shorter = HistorySettings { raw_days: 2, ..kept };
    let changed = hub.ask(Request::ChangeSettings { patch: patch(shorter) }).await.unwrap();
    assert!(matches!(changed, Reply::Settings(settings) if settings.history == shorter));
    let gone = async {
        while of_the_other_boot() > 100 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.unwrap();
    let left = of_the_other_boot();
    assert!((94..=100).contains(&left), "{left} of 960");
    sweeps(&hub, 1).await;
    hub.stop().await;
    // The sessions of this process are counted on from that one's.
    let sessions: Vec<u32> =
        stored(data.path(), "GPU-1", Quantity::Power).iter().map(|step| step.session).collect();
    assert_eq!((sessions[0], sessions[sessions.len() - 1]), (7, 8));
}

#[tokio::test]
async fn where_the_settings_cannot_be_read_nothing_is_dropped() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    twenty_days(data.path());
    // A newer program's: it is neither read nor changed.
    drop(StateDb::open(data.path()).unwrap());
    rusqlite::Connection::open(data.path().join(StateDb::FILE))
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let hub = start(data.path(), Profile::Demo, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 3).await;
    hub.stop().await;
    let steps = stored(data.path(), "GPU-1", Quantity::Power);
    assert_eq!(steps.iter().filter(|step| step.session == 7).count(), 960);
    assert!(steps.len() > 960);
}
