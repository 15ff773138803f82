//! One module a marketplace: Vast.ai, TensorDock, AutoDL, Lambda, Genesis Cloud.
//!
//! Each has a committed table of the (method, path) pairs it may send; anything else cannot be built.
