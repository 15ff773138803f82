//! What is kept, and how a file fares that cannot serve.

use fanfare_engine::profile::Profile;
use fanfare_history::{FILE, Reader};
use fanfare_testkit::{SimRig, eight_answering};

use crate::kit::{start, sweeps};

#[tokio::test]
async fn the_owners_history_holds_nothing_simulated() {
    let (data, rig) = (tempfile::tempdir().unwrap(), SimRig::still());
    let hub = start(data.path(), Profile::Real, &rig);
    eight_answering(&hub).await;
    sweeps(&hub, 5).await;
    hub.stop().await;
    let reader = Reader::open(data.path()).unwrap().unwrap();
    assert_eq!(reader.series().unwrap(), []);
    assert!(data.path().join(FILE).exists());
}
