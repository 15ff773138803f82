//! The mapped state file and its lock: the only unsafe code of this crate.
//!
//! Safety rests on three things. All data are plain old data (`bytemuck::Pod`), so any bit pattern is a value.
//! A [`Place`] or [`Row`] is checked against the layout when it is made, at compile time for every constant
//! of [`crate::layout`], and the mapping is exactly that long. Data are copied in and out; no reference into
//! the mapping escapes except to atomics.
//!
//! The lock is one robust, process-shared pthread mutex. If its holder dies at any instant the next taker gets
//! `EOWNERDEAD`, declares it consistent and goes on with the last committed state (see the layout for why
//! that is always whole). Nobody waits longer than [`LOCK_LIMIT`] for it; it is held for about 100 ns by a
//! reading, and for at most one stretch of catch-up (`advance::STRETCH`) otherwise.

#![allow(unsafe_code, reason = "memory shared between processes needs a mapping and a pthread mutex")]

use std::fs::File;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use bytemuck::Pod;
use memmap2::{MmapOptions, MmapRaw};

use crate::error::StateError;
use crate::layout::{self, EffectRecord, FILE_SIZE};

/// How long a taker waits for the lock before it gives up with [`StateError::LockTimeout`].
pub(crate) const LOCK_LIMIT: Duration = Duration::from_secs(5);

/// A typed place in the file.
#[derive(Debug)]
pub struct Place<T> {
    offset: usize,
    kind: PhantomData<T>,
}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Place<T> {}

impl<T: Pod> Place<T> {
    /// A place that lies wholly in the file and is aligned.
    pub(crate) const fn at(offset: usize) -> Self {
        assert!(offset + size_of::<T>() <= FILE_SIZE && offset.is_multiple_of(align_of::<T>()));
        Self { offset, kind: PhantomData }
    }
}

impl Place<EffectRecord> {
    /// The word in it that says when the effect ends.
    pub(crate) const fn until(self) -> Place<u64> {
        Place { offset: self.offset + std::mem::offset_of!(EffectRecord, until), kind: PhantomData }
    }
}

/// A typed array in the file.
#[derive(Debug)]
pub struct Row<T> {
    offset: usize,
    len: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Row<T> {
    /// An array that lies wholly in the file and is aligned.
    pub(crate) const fn at(offset: usize, len: usize) -> Self {
        assert!(len > 0 && offset + len * size_of::<T>() <= FILE_SIZE);
        assert!(offset.is_multiple_of(align_of::<T>()));
        Self { offset, len, kind: PhantomData }
    }

    /// Element `index`, taken round the array's end, so that no number read from a damaged file leads out.
    pub(crate) const fn nth(&self, index: usize) -> Place<T> {
        Place { offset: self.offset + (index % self.len) * size_of::<T>(), kind: PhantomData }
    }
}

/// The mapping of one state file.
#[derive(Debug)]
pub(crate) struct Map {
    raw: MmapRaw,
}

impl Map {
    /// Maps `file`, whose size was checked by the caller to be [`FILE_SIZE`].
    pub(crate) fn new(file: &File, path: &Path) -> Result<Self, StateError> {
        let raw = MmapOptions::new()
            .len(FILE_SIZE)
            .map_raw(file)
            .map_err(|source| StateError::Io { path: path.to_owned(), source })?;
        Ok(Self { raw })
    }

    fn address<T>(&self, place: Place<T>) -> *mut u8 {
        // SAFETY: a `Place` lies wholly in FILE_SIZE bytes, and the mapping is that long.
        unsafe { self.raw.as_mut_ptr().add(place.offset) }
    }

    /// A copy of what stands at `place`. Whole only if nobody writes there: take the lock, or read the copy
    /// that is not being written.
    pub(crate) fn read<T: Pod>(&self, place: Place<T>) -> T {
        let mut value = T::zeroed();
        let bytes = bytemuck::bytes_of_mut(&mut value);
        // SAFETY: source and target are `size_of::<T>()` bytes each and do not overlap; T takes any bits.
        unsafe { std::ptr::copy_nonoverlapping(self.address(place), bytes.as_mut_ptr(), bytes.len()) };
        value
    }

    /// Copies of `len` elements of a row from element `first` on; fewer at the row's end.
    pub(crate) fn read_many<T: Pod>(&self, row: &Row<T>, first: usize, len: usize) -> Vec<T> {
        let first = first.min(row.len);
        let len = len.min(row.len - first);
        let mut values = vec![T::zeroed(); len];
        let bytes = bytemuck::cast_slice_mut::<T, u8>(&mut values);
        let from = Place::<T> { offset: row.offset + first * size_of::<T>(), kind: PhantomData };
        // SAFETY: the elements lie wholly in the row, hence in the mapping; the vector is ours and as long.
        unsafe { std::ptr::copy_nonoverlapping(self.address(from), bytes.as_mut_ptr(), bytes.len()) };
        values
    }

    /// Puts `value` at `place`. Under the lock, and never onto a copy that is valid.
    pub(crate) fn write<T: Pod>(&self, place: Place<T>, value: &T) {
        let bytes = bytemuck::bytes_of(value);
        let half = bytes.len() / 2;
        self.copy_in(place, bytes, 0, half);
        crash_point();
        self.copy_in(place, bytes, half, bytes.len());
        crash_point();
    }

    fn copy_in<T>(&self, place: Place<T>, bytes: &[u8], from: usize, to: usize) {
        let part = bytes.get(from..to).unwrap_or_default();
        // SAFETY: `from..to` is inside the value's bytes, hence inside the place; source and target differ.
        unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), self.address(place).add(from), part.len()) };
    }

    /// The word at `place`, shared with all processes.
    pub(crate) fn word(&self, place: Place<u32>) -> &AtomicU32 {
        // SAFETY: inside the mapping, aligned, and only ever used as an atomic after creation.
        unsafe { AtomicU32::from_ptr(self.address(place).cast()) }
    }

    /// The long word at `place`, shared with all processes.
    pub(crate) fn long(&self, place: Place<u64>) -> &AtomicU64 {
        // SAFETY: inside the mapping, aligned, and only ever used as an atomic after creation.
        unsafe { AtomicU64::from_ptr(self.address(place).cast()) }
    }

    /// Commits: everything written before is in the file before the word changes.
    pub(crate) fn commit(&self, place: Place<u32>, value: u32) {
        self.word(place).store(value, Ordering::Release);
        crash_point();
    }

    /// As [`Map::commit`], for a long word.
    pub(crate) fn commit_long(&self, place: Place<u64>, value: u64) {
        self.long(place).store(value, Ordering::Release);
        crash_point();
    }

    fn mutex(&self) -> *mut libc::pthread_mutex_t {
        const { assert!(size_of::<libc::pthread_mutex_t>() <= 64) };
        self.address(layout::LOCK).cast()
    }

    /// Makes the lock in a new file, before any other process sees it.
    pub(crate) fn init_lock(&self) -> Result<(), StateError> {
        // SAFETY: an attribute object is plain data, set up by the call that follows before any other use.
        let mut attributes: libc::pthread_mutexattr_t = unsafe { std::mem::zeroed() };
        // SAFETY: `attributes` is ours; the mutex's memory is inside the mapping and not yet shared.
        let code = unsafe {
            let mut code = libc::pthread_mutexattr_init(&raw mut attributes);
            if code == 0 {
                code = libc::pthread_mutexattr_setpshared(&raw mut attributes, libc::PTHREAD_PROCESS_SHARED);
            }
            if code == 0 {
                code = libc::pthread_mutexattr_setrobust(&raw mut attributes, libc::PTHREAD_MUTEX_ROBUST);
            }
            if code == 0 {
                code = libc::pthread_mutex_init(self.mutex(), &raw const attributes);
            }
            libc::pthread_mutexattr_destroy(&raw mut attributes);
            code
        };
        if code == 0 { Ok(()) } else { Err(lock_error(code)) }
    }

    /// Takes the lock, waiting at most [`LOCK_LIMIT`].
    ///
    /// # Errors
    /// [`StateError::LockTimeout`] when a live holder keeps it, [`StateError::Lock`] when the mutex is bad.
    pub(crate) fn lock(&self) -> Result<Locked<'_>, StateError> {
        // SAFETY: the mutex was made by `init_lock` in this file, whose header was checked.
        let mut code = unsafe { libc::pthread_mutex_trylock(self.mutex()) };
        if code == libc::EBUSY {
            code = self.lock_waiting();
        }
        match code {
            0 => Ok(Locked { map: self }),
            libc::EOWNERDEAD => {
                // SAFETY: EOWNERDEAD made us the holder, as the call demands.
                let code = unsafe { libc::pthread_mutex_consistent(self.mutex()) };
                if code != 0 {
                    return Err(lock_error(code));
                }
                // The dead holder may have changed the effects without raising the generation.
                self.long(layout::GENERATION).fetch_add(1, Ordering::AcqRel);
                self.long(layout::RECOVERIES).fetch_add(1, Ordering::AcqRel);
                Ok(Locked { map: self })
            }
            libc::ETIMEDOUT => Err(StateError::LockTimeout { seconds: LOCK_LIMIT.as_secs() }),
            code => Err(lock_error(code)),
        }
    }

    fn lock_waiting(&self) -> i32 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        // A step of the wall clock can shorten or lengthen this one wait; pthread_mutex_clocklock would not,
        // but glibc has it only since 2.30 and musl not at all.
        let limit = i64::try_from(LOCK_LIMIT.as_secs()).unwrap_or(i64::MAX);
        let deadline = libc::timespec { tv_sec: now.tv_sec.saturating_add(limit), tv_nsec: now.tv_nsec };
        // SAFETY: the mutex is a valid one of this file; `deadline` lives through the call.
        unsafe { libc::pthread_mutex_timedlock(self.mutex(), &raw const deadline) }
    }
}

fn lock_error(code: i32) -> StateError {
    StateError::Lock { source: std::io::Error::from_raw_os_error(code) }
}

/// Proof that the lock is held; dropping it releases.
#[derive(Debug)]
pub(crate) struct Locked<'a> {
    map: &'a Map,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: this value exists only while this thread holds the lock.
        unsafe { libc::pthread_mutex_unlock(self.map.mutex()) };
    }
}

/// In the crash test each store may be the process's last one; elsewhere this is nothing.
#[inline]
fn crash_point() {
    #[cfg(test)]
    crate::crash::point();
}

const _: () = assert!(size_of::<layout::CardRecord>().is_multiple_of(8));
