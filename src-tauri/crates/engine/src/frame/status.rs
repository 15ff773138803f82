//! What is wrong with the rig, the worst first.
