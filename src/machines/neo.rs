//! What both NeoVMs (2.x and N3) share outside their interpreters: how a script is written in a program
//! record, how items are shown as values, and how numbers are encoded as bytes.
//!
//! | file | content |
//! |---|---|
//! | `script.rs` | scripts in a program record, the names of instructions in vectors |
//! | `show.rs` | items as values, and the limits on how much is shown |
//! | `shapes.rs` | the notation of items in the process protocol |
//! | `operands.rs` | which items an instruction takes and leaves, if other items say so |
//! | `number.rs` | 64-bit numbers as bytes in two's complement |

pub(super) mod number;
pub(super) mod operands;
pub(super) mod script;
pub(super) mod shapes;
pub(super) mod show;
