//! What the page gets and when, as a pure machine: the newest, one at a time, and nothing while nobody looks.
//!
//! A page that is slow, stopped or hidden must cost no memory and no work, and must not be shown the past once it looks again. So
//! at most one frame is on its way, the newest waits in its place behind it, and a page that appears is given the newest at once.

/// The feed of one page at a time. It holds one item, the newest.
#[derive(Debug)]
pub(crate) struct Feed<T> {
    newest: Option<T>,
    /// Whether the newest is due to the page.
    due: bool,
    /// The number of the last frame that was given.
    given: u64,
    /// Whether the page has yet to acknowledge that frame.
    unacknowledged: bool,
    subscribed: bool,
    page_visible: bool,
    window_visible: bool,
}

impl<T> Default for Feed<T> {
    /// Without a page. A window and a page that say nothing else are visible.
    fn default() -> Self {
        Self {
            newest: None,
            due: false,
            given: 0,
            unacknowledged: false,
            subscribed: false,
            page_visible: true,
            window_visible: true,
        }
    }
}

impl<T: Clone> Feed<T> {
    /// There is something new; what waited is dropped.
    pub(crate) fn offer(&mut self, item: T) {
        self.newest = Some(item);
        self.due = true;
    }

    /// A page begins to listen, in place of the one before. It is visible until it says otherwise.
    pub(crate) fn subscribe(&mut self) {
        self.subscribed = true;
        self.page_visible = true;
        self.start_over();
    }

    /// The page is gone.
    pub(crate) fn leave(&mut self) {
        self.subscribed = false;
    }

    /// The page has shown a frame. An acknowledgement of another frame is that of a page before, or comes late: it counts not.
    pub(crate) fn acknowledge(&mut self, number: u64) {
        if number == self.given {
            self.unacknowledged = false;
        }
    }

    /// The page says whether it is seen.
    pub(crate) fn page_visible(&mut self, visible: bool) {
        let shown = self.is_shown();
        self.page_visible = visible;
        self.if_it_appeared(shown);
    }

    /// The window system says whether the window is seen.
    pub(crate) fn window_visible(&mut self, visible: bool) {
        let shown = self.is_shown();
        self.window_visible = visible;
        self.if_it_appeared(shown);
    }

    /// Whether somebody looks.
    pub(crate) const fn is_shown(&self) -> bool {
        self.subscribed && self.page_visible && self.window_visible
    }

    /// What is to be sent now, with its number; the numbers grow by one for the life of the feed.
    pub(crate) fn take(&mut self) -> Option<(u64, T)> {
        if !self.due || self.unacknowledged || !self.is_shown() {
            return None;
        }
        let item = self.newest.clone()?;
        self.due = false;
        self.unacknowledged = true;
        self.given += 1;
        Some((self.given, item))
    }

    fn if_it_appeared(&mut self, was_shown: bool) {
        if !was_shown && self.is_shown() {
            self.start_over();
        }
    }

    /// What was on its way may never be acknowledged: the page was not seen, or is another.
    fn start_over(&mut self) {
        self.unacknowledged = false;
        self.due = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What happens to a feed.
    #[derive(Debug, Clone, Copy)]
    enum Event {
        Offer(&'static str),
        Subscribe,
        Leave,
        Acknowledge(u64),
        Page(bool),
        Window(bool),
    }

    fn happen(feed: &mut Feed<&'static str>, event: Event) -> Option<(u64, &'static str)> {
        match event {
            Event::Offer(item) => feed.offer(item),
            Event::Subscribe => feed.subscribe(),
            Event::Leave => feed.leave(),
            Event::Acknowledge(number) => feed.acknowledge(number),
            Event::Page(visible) => feed.page_visible(visible),
            Event::Window(visible) => feed.window_visible(visible),
        }
        feed.take()
    }

    #[test]
    fn the_page_gets_the_newest_one_at_a_time_and_nothing_while_nobody_looks() {
        use Event::{Acknowledge, Leave, Offer, Page, Subscribe, Window};
        let story = [
            // Without a page nothing is sent, and a page that comes gets the newest at once.
            (Offer("a"), None),
            (Offer("b"), None),
            (Subscribe, Some((1, "b"))),
            // One is on its way: the newest waits, what waited is dropped.
            (Offer("c"), None),
            (Offer("d"), None),
            (Acknowledge(1), Some((2, "d"))),
            // All acknowledged: the next goes at once.
            (Acknowledge(2), None),
            (Offer("e"), Some((3, "e"))),
            // An acknowledgement of another frame counts not; nor does a second one of the same.
            (Offer("f"), None),
            (Acknowledge(2), None),
            (Acknowledge(99), None),
            (Acknowledge(3), Some((4, "f"))),
            (Acknowledge(4), None),
            (Acknowledge(4), None),
            // Hidden: nothing, though the page acknowledges. Shown again: the newest at once.
            (Offer("f"), Some((5, "f"))),
            (Page(false), None),
            (Acknowledge(5), None),
            (Offer("g"), None),
            (Page(true), Some((6, "g"))),
            // Shown again without anything new: the same, whose age has grown.
            (Page(false), None),
            (Page(true), Some((7, "g"))),
            // Hidden with a frame on its way that is never acknowledged.
            (Window(false), None),
            (Offer("h"), None),
            (Page(false), None),
            (Window(true), None),
            (Page(true), Some((8, "h"))),
            // To be told that it is visible is nothing new for a page that is.
            (Page(true), None),
            (Window(true), None),
            // A page that reloads is given what the one before had not acknowledged.
            (Subscribe, Some((9, "h"))),
            (Acknowledge(8), None),
            (Offer("i"), None),
            (Acknowledge(9), Some((10, "i"))),
            // A page that is gone gets nothing; one that was hidden when it went does not hide the next.
            (Page(false), None),
            (Leave, None),
            (Acknowledge(10), None),
            (Offer("j"), None),
            (Subscribe, Some((11, "j"))),
            // A hidden window stays hidden for the next page.
            (Window(false), None),
            (Subscribe, None),
            (Window(true), Some((12, "j"))),
        ];
        let mut feed = Feed::default();
        for (step, (event, expected)) in story.into_iter().enumerate() {
            assert_eq!(happen(&mut feed, event), expected, "step {step}: {event:?}");
        }
    }

    #[test]
    fn a_page_that_comes_before_the_first_item_gets_it_when_it_is_there() {
        let mut feed = Feed::default();
        assert_eq!(happen(&mut feed, Event::Subscribe), None);
        assert_eq!(happen(&mut feed, Event::Offer("a")), Some((1, "a")));
    }
}
