//! The threads that read cards: one does it all while every call returns, and each call that does not return costs one thread.
//!
//! Waking eight threads for a few microseconds of work each costs several times that work: 800 µs of CPU for a sweep of eight
//! cards, measured, where one thread needs less than half of it. So the cards of a sweep stand in one queue and one reader takes them
//! in turn. A reader that has not come to the end of the queue in good time is relieved: others go on with the cards behind the
//! one it is in, twice as many each time. So a card that hangs delays the others by one patience, in the first sweep of its
//! hang only, and the number of threads is one more than the number of cards that ever hung at once.
//!
//! A card goes into the queue with its reader's state, and comes back with its report; whoever has it is the only one that can
//! call the driver for it. That at most one call is out for a card is a matter of ownership, not of care.

use std::{
    collections::VecDeque,
    io, mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    thread,
};

use crate::{
    cards::{Ask, CardReader, Report},
    message::Message,
};

/// A card to be read.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) card: Box<CardReader>,
    pub(crate) ask: Ask,
}

/// The readers, as the coordinator sees them.
#[derive(Debug)]
pub(crate) struct Relay {
    shared: Arc<Shared>,
    inbox: Sender<Message>,
    /// How many readers the next relief adds.
    relief: usize,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    more: Condvar,
    /// Reports not yet fetched: one a card at most.
    reports: Mutex<Vec<Report>>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Readers that wait for a job.
    waiting: usize,
}

impl Relay {
    /// Readers that tell `inbox` whenever they have come to the end of the queue.
    pub(crate) fn new(inbox: Sender<Message>) -> Self {
        Self { shared: Arc::default(), inbox, relief: 1 }
    }

    /// Puts a sweep's cards into the queue, behind those that an earlier sweep may have left there.
    ///
    /// # Errors
    /// No reader is free and none can be started.
    pub(crate) fn read(&mut self, jobs: impl IntoIterator<Item = Job>) -> io::Result<()> {
        lock(&self.shared.queue).jobs.extend(jobs);
        self.relief = 1;
        self.add_readers(1)
    }

    /// What was read since the last fetch.
    pub(crate) fn reports(&self) -> Vec<Report> {
        mem::take(&mut *lock(&self.shared.reports))
    }

    /// Sends more readers to the queue if there are cards left in it.
    ///
    /// # Errors
    /// No more readers can be started; those at work go on.
    pub(crate) fn relieve(&mut self) -> io::Result<()> {
        let relief = self.relief;
        self.relief = relief.saturating_mul(2);
        self.add_readers(relief)
    }

    /// Wakes or starts up to `count` readers, no more than there are cards in the queue.
    fn add_readers(&self, count: usize) -> io::Result<()> {
        let (wanted, waiting) = {
            let queue = lock(&self.shared.queue);
            (queue.jobs.len().min(count), queue.waiting)
        };
        for _ in 0..wanted.min(waiting) {
            self.shared.more.notify_one();
        }
        for _ in waiting..wanted {
            let (shared, inbox) = (Arc::clone(&self.shared), self.inbox.clone());
            thread::Builder::new().name("reader".into()).spawn(move || shared.serve(&inbox))?;
        }
        Ok(())
    }
}

impl Shared {
    /// Reads cards for the life of the process, or until nobody listens.
    fn serve(&self, inbox: &Sender<Message>) {
        let mut job = self.next();
        loop {
            // The report first, the lock after: this call may hang.
            let report = job.card.answer(job.ask);
            lock(&self.reports).push(report);
            job = match self.next_at_once() {
                Some(next) => next,
                None if inbox.send(Message::QueueRead).is_err() => return,
                None => self.next(),
            };
        }
    }

    fn next_at_once(&self) -> Option<Job> {
        lock(&self.queue).jobs.pop_front()
    }

    /// The next job. It waits without a limit: a reader has nothing else to do, and ends with the process.
    fn next(&self) -> Job {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return job;
            }
            queue.waiting += 1;
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.waiting -= 1;
        }
    }
}

/// A poisoned lock is taken all the same: a panic ends the process (see `leave`), so nobody is left to see half a change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
