//! What both NeoVMs (2.x and N3) share outside their interpreters: how a script is written in a program
//! record, how items are shown as values, and how numbers are bytes.
//!
//! | file | content |
//! |---|---|
//! | `script.rs` | scripts in a program record, instructions as vectors name them |
//! | `show.rs` | items as values, and the limits on how much is shown |
//! | `shapes.rs` | how items are written for a machine in another process |
//! | `number.rs` | numbers of 64 bits as the bytes of two's complement |

pub(super) mod number;
pub(super) mod script;
pub(super) mod shapes;
pub(super) mod show;
