//! Pointer arguments of the C interface, each as a transparent wrapper.
//!
//! The caller of an exported function promises what NVML demands of it: a pointer is null or points at what its
//! type says, valid through the call, and an array is as long as its count. That promise is made when a wrapper
//! crosses the C boundary, the only way one comes into being; so following it is sound, and no other module
//! needs `unsafe` beyond `#[unsafe(no_mangle)]`.

use std::ffi::{CStr, c_char};

use nvml_wrapper_sys::bindings::{nvmlDevice_t, nvmlEventSet_t};

use crate::codes::{INSUFFICIENT_SIZE, INVALID_ARGUMENT, Outcome};

/// Bits that mark a number as a handle of this library.
const MARK: usize = 0x00F4_0000_0000_0000;
const MARK_MASK: usize = 0xffff_ff00_0000_0000;

/// A device handle: never a real address, only slot and board packed into one.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handle(nvmlDevice_t);

impl Handle {
    /// The handle of `board` in `slot`.
    pub(crate) fn new(slot: usize, board: u32) -> Self {
        let packed = MARK | (slot & 0xff) << 32 | board as usize;
        Self(std::ptr::without_provenance_mut(packed))
    }

    /// Slot and board; `None` for null or a number that this library never gave out.
    pub(crate) fn unpack(self) -> Option<(usize, u32)> {
        let packed = self.0.addr();
        let board = u32::try_from(packed & 0xffff_ffff).ok()?;
        (packed & MARK_MASK == MARK).then_some((packed >> 32 & 0xff, board))
    }

    pub(crate) fn raw(self) -> nvmlDevice_t {
        self.0
    }
}

/// An event set's handle: a number, never an address.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventSetHandle(nvmlEventSet_t);

impl EventSetHandle {
    pub(crate) fn new(number: usize) -> Self {
        Self(std::ptr::without_provenance_mut(number))
    }

    pub(crate) fn number(self) -> usize {
        self.0.addr()
    }
}

/// A place of the caller's for one or more values.
#[repr(transparent)]
#[derive(Debug)]
pub(crate) struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

impl<T: Copy> Out<T> {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// INVALID_ARGUMENT for null.
    pub(crate) fn required(self) -> Outcome<Self> {
        if self.is_null() { Err(INVALID_ARGUMENT) } else { Ok(self) }
    }

    /// Writes `value`; INVALID_ARGUMENT for null.
    pub(crate) fn put(self, value: T) -> Outcome {
        self.put_at(0, value)
    }

    /// Writes element `index` of an array that the caller said is longer than `index`.
    pub(crate) fn put_at(self, index: usize, value: T) -> Outcome {
        self.required()?;
        // SAFETY: not null, so valid for as many elements as the caller counted (module head).
        unsafe { self.0.add(index).write(value) };
        Ok(())
    }

    /// What the caller put there; INVALID_ARGUMENT for null.
    pub(crate) fn get(self) -> Outcome<T> {
        self.get_at(0)
    }

    /// Element `index` of an array that the caller said is longer than `index`.
    pub(crate) fn get_at(self, index: usize) -> Outcome<T> {
        self.required()?;
        // SAFETY: not null, so valid and filled by the caller for as many elements as it counted.
        Ok(unsafe { self.0.add(index).read() })
    }
}

/// A text of the caller's.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// The text; `None` for null or what is not UTF-8.
    pub(crate) fn read(self) -> Option<String> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: not null, so a NUL-terminated text of the caller's (module head).
        unsafe { CStr::from_ptr(self.0) }.to_str().ok().map(str::to_owned)
    }
}

/// A buffer of the caller's for a text; its length is another argument.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffer(*mut c_char);

impl Buffer {
    /// Writes `text` and a NUL; INVALID_ARGUMENT for null, INSUFFICIENT_SIZE if it does not fit `length`.
    pub(crate) fn put(self, length: u32, text: &str) -> Outcome {
        if self.0.is_null() {
            return Err(INVALID_ARGUMENT);
        }
        if text.len() >= length as usize {
            return Err(INSUFFICIENT_SIZE);
        }
        // SAFETY: not null, so `length` bytes are valid for writing, and text and NUL are no more than that.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.0, text.len());
            self.0.add(text.len()).write(0);
        }
        Ok(())
    }
}

/// `text` as a fixed array of C characters, cut so that a NUL remains.
pub(crate) fn c_array<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (cell, byte) in array.iter_mut().take(N - 1).zip(text.bytes()) {
        *cell = c_char::from_ne_bytes([byte]);
    }
    array
}

/// The version word of structure `T` in version `version`.
pub(crate) const fn version_word<T>(version: u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "NVML structures are some hundred bytes")]
    let size = size_of::<T>() as u32;
    size | version << 24
}
