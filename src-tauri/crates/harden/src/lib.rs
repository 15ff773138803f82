//! The host audit, and the generators of container and cluster files.
//!
//! It reads and advises; it changes nothing on the host.
