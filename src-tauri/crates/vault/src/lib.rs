//! API keys in the OS keyring, namespaced by profile.
//!
//! A key can be set, tested and deleted; nothing here hands one to the screen.
