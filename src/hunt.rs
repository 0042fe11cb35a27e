//! Makes failing cases small enough to read.

pub mod minimize;
