//! A frame of the invocation stack, with the try statements that it has entered.

use std::fmt;

use super::item::Neo3Item;

/// A frame of the invocation stack. The evaluation stack belongs to all frames.
#[derive(Debug, Clone, Default)]
pub(super) struct Neo3Context {
    /// Where execution continues when it is the current frame again.
    pub(super) pc: usize,
    pub(super) locals: Vec<Neo3Item>,
    pub(super) arguments: Vec<Neo3Item>,
    pub(super) tries: Vec<Try>,
}

/// A try statement that was entered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Try {
    pub(super) part: TryPart,
    /// Where the catch block starts; `None` or negative if there is none.
    pub(super) catch: Option<i32>,
    /// Where the finally block starts; `None` or negative if there is none.
    pub(super) finally: Option<i32>,
    /// Where execution continues after the finally block; `None` until an ENDTRY sets it.
    pub(super) end: Option<i32>,
}

/// The block that is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TryPart {
    Try,
    Catch,
    Finally,
}

impl Try {
    pub(super) fn catch(&self) -> Option<i32> {
        self.catch.filter(|position| *position >= 0)
    }

    pub(super) fn finally(&self) -> Option<i32> {
        self.finally.filter(|position| *position >= 0)
    }

    /// Whether an exception inside it propagates to the next outer try statement.
    pub(super) fn is_over(&self) -> bool {
        match self.part {
            TryPart::Try => false,
            TryPart::Catch => self.finally().is_none(),
            TryPart::Finally => true,
        }
    }
}

/// Formatted for people: `in the try block; catch 0010, finally 0014`.
impl fmt::Display for Try {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            TryPart::Try => "try",
            TryPart::Catch => "catch",
            TryPart::Finally => "finally",
        };
        write!(f, "in the {part} block")?;
        let places = [("catch", self.catch()), ("finally", self.finally()), ("then", self.end)];
        let mut separator = ";";
        for (name, place) in places {
            if let Some(place) = place {
                write!(f, "{separator} {name} {place:04x}")?;
                separator = ",";
            }
        }
        Ok(())
    }
}
