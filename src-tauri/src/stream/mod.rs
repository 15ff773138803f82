//! The rig's way to the page: one channel, fed by one task that owns it.
//!
//! The task lives as long as the program. It hears of the rig by a channel of which only the newest state is kept, and of the page
//! by a queue of [`QUEUE`] words, whose senders wait when it is full. It sends at most one frame a second and one for each time the
//! page appears, in parts under 8,000 bytes, which Tauri hands to the page without a second request.

mod feed;

use std::sync::Arc;

use fanfare_engine::{
    RigState,
    frame::{self, FramePart, RigFrame},
};
use fanfare_rig::clock::Clock;
use tauri::ipc::Channel;
use tokio::sync::{mpsc, watch};

use feed::Feed;

use crate::rig::Rig;

/// The most words of the page that wait.
const QUEUE: usize = 32;
/// What the page says.
pub(crate) enum Word {
    /// It begins to listen.
    Subscribed(Channel<FramePart>),
    /// It has shown the frame of this number.
    Acknowledged(u64),
    /// Whether it is seen.
    Visible(bool),
    /// It is about to be replaced.
    Gone,
}

/// Where the page's words go.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    words: mpsc::Sender<Word>,
}

impl Page {
    /// Says a word, in its turn. When the program ends nobody hears.
    pub(crate) async fn say(&self, word: Word) {
        let _ = self.words.send(word).await;
    }

    /// Says that the page goes, from where nothing can wait. Should the queue be full, the next page's subscription says it.
    pub(crate) fn goes(&self) {
        let _ = self.words.try_send(Word::Gone);
    }
}

/// What hears the page's words.
#[derive(Debug)]
pub(crate) struct Ear {
    words: mpsc::Receiver<Word>,
}

/// Both ends of the page's words.
pub(crate) fn page() -> (Page, Ear) {
    let (said, words) = mpsc::channel(QUEUE);
    (Page { words: said }, Ear { words })
}

/// Feeds the page once the engine has started, until the rig or the page's words end, which is when the program does.
pub(crate) async fn feed(rig: Rig, seen: watch::Receiver<bool>, ear: Ear, clock: Clock) {
    if let Ok(engine) = rig.engine().await {
        feed_from(engine.rig(), seen, ear, clock).await;
    }
}

async fn feed_from(
    mut rig: watch::Receiver<Arc<RigState>>,
    mut seen: watch::Receiver<bool>,
    mut ear: Ear,
    clock: Clock,
) {
    let mut feed = Feed::default();
    let mut channel = None;
    feed.offer(rig.borrow_and_update().clone());
    loop {
        tokio::select! {
            changed = rig.changed() => match changed {
                Ok(()) => feed.offer(rig.borrow_and_update().clone()),
                Err(_) => return,
            },
            changed = seen.changed() => match changed {
                Ok(()) => feed.window_visible(*seen.borrow_and_update()),
                Err(_) => return,
            },
            word = ear.words.recv() => match word {
                Some(word) => hear(word, &mut feed, &mut channel),
                None => return,
            },
        }
        if let (Some(channel), Some((number, state))) = (&channel, feed.take()) {
            send(channel, number, &state, clock);
        }
    }
}

fn hear(word: Word, feed: &mut Feed<Arc<RigState>>, channel: &mut Option<Channel<FramePart>>) {
    match word {
        Word::Subscribed(new) => {
            *channel = Some(new);
            feed.subscribe();
        }
        Word::Acknowledged(number) => feed.acknowledge(number),
        Word::Visible(visible) => feed.page_visible(visible),
        Word::Gone => {
            *channel = None;
            feed.leave();
        }
    }
}

/// Sends a frame. The number is the feed's and not the rig's, which begins anew with each holder of the data directory.
fn send(channel: &Channel<FramePart>, number: u64, state: &RigState, clock: Clock) {
    let frame = RigFrame { number, ..RigFrame::of(state, &clock.stamp()) };
    for part in frame::parts(frame) {
        if let Err(error) = channel.send(part) {
            // The window is gone or about to be; a page that comes back subscribes anew.
            eprintln!("fanfare: a frame was not sent: {error}");
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Mutex, Weak},
        time::Duration,
    };

    use fanfare_engine::profile::Profile;
    use tauri::ipc::InvokeResponseBody;
    use tokio::time::timeout;

    use super::*;

    /// No wait here lasts longer.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn state(number: u64) -> Arc<RigState> {
        Arc::new(RigState { number, ..RigState::unread(Profile::Demo, Duration::from_secs(1)) })
    }

    /// A rig, a page and what it was sent, with the task between them.
    struct Stage {
        rig: watch::Sender<Arc<RigState>>,
        window: watch::Sender<bool>,
        page: Page,
        sent: Arc<Mutex<Vec<u64>>>,
    }

    impl Stage {
        fn set() -> Self {
            let (rig, states) = watch::channel(state(1));
            let (window, seen) = watch::channel(true);
            let (page, ear) = page();
            tokio::spawn(feed_from(states, seen, ear, Clock::of_this_boot().unwrap()));
            Self { rig, window, page, sent: Arc::default() }
        }

        /// A page that keeps the numbers of the frames it is sent.
        async fn subscribe(&self) {
            let sent = Arc::clone(&self.sent);
            let channel = Channel::new(move |body| {
                let InvokeResponseBody::Json(json) = body else { panic!("not JSON") };
                let part: FramePart = serde_json::from_str(&json).unwrap();
                let FramePart::Head { frame, .. } = part else { panic!("no head") };
                sent.lock().unwrap().push(frame.number);
                Ok(())
            });
            self.page.say(Word::Subscribed(channel)).await;
        }

        fn sent(&self) -> Vec<u64> {
            self.sent.lock().unwrap().clone()
        }

        async fn until_sent(&self, count: usize) -> Vec<u64> {
            let waiting = async {
                while self.sent().len() < count {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            };
            timeout(PATIENCE, waiting).await.expect("it is sent");
            self.sent()
        }

        /// Returns when the task has heard all that was said before.
        async fn settle(&self) {
            let waiting = async {
                while self.page.words.capacity() < QUEUE {
                    tokio::task::yield_now().await;
                }
            };
            timeout(PATIENCE, waiting).await.expect("it is heard");
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn ten_thousand_states_behind_a_hidden_window_are_not_sent_and_not_kept() {
        let stage = Stage::set();
        stage.subscribe().await;
        assert_eq!(stage.until_sent(1).await, [1]);
        stage.page.say(Word::Acknowledged(1)).await;
        stage.settle().await;
        stage.window.send_replace(false);
        tokio::task::yield_now().await;
        let mut made: Vec<Weak<RigState>> = Vec::new();
        for number in 2..=10_001 {
            let state = state(number);
            made.push(Arc::downgrade(&state));
            stage.rig.send_replace(state);
            tokio::task::yield_now().await;
        }
        assert_eq!(stage.sent(), [1], "a hidden window is sent nothing");
        // The rig's newest, which the feed holds too.
        let kept = made.iter().filter(|state| state.strong_count() > 0).count();
        assert_eq!(kept, 1);
        stage.window.send_replace(true);
        assert_eq!(stage.until_sent(2).await, [1, 2], "the newest, at once");
    }

    #[tokio::test]
    async fn a_page_that_acknowledges_nothing_is_sent_one_frame_and_another_page_its_own() {
        let stage = Stage::set();
        stage.subscribe().await;
        assert_eq!(stage.until_sent(1).await, [1]);
        for number in 2..=100 {
            stage.rig.send_replace(state(number));
            tokio::task::yield_now().await;
        }
        assert_eq!(stage.sent(), [1]);
        stage.page.goes();
        stage.settle().await;
        stage.rig.send_replace(state(101));
        tokio::task::yield_now().await;
        assert_eq!(stage.sent(), [1], "a page that is gone is sent nothing");
        stage.subscribe().await;
        assert_eq!(stage.until_sent(2).await, [1, 2]);
    }
}
