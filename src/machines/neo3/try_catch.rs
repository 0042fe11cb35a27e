//! Exceptions: TRY and the instructions that end its blocks, THROW, and how exceptions propagate through the
//! frames.

use super::call::unload;
use super::context::{Try, TryPart};
use super::fault::{Neo3End, Neo3Fault, Neo3Flow};
use super::flow::{go_on, offset, target};
use super::frame::Neo3Frame;
use super::item::Neo3Item;

pub(super) fn try_<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offsets = [offset::<N>(frame)?, offset::<N>(frame)?];
    if offsets == [0, 0] {
        return Err(Neo3Fault::Wrong("TRY without a catch and a finally block.").into());
    }
    if frame.core.context.tries.len() as u64 >= frame.core.limits.try_nesting_depth {
        return Err(Neo3Fault::Tries.into());
    }
    let block = |offset| if offset == 0 { Ok(None) } else { target(frame, offset).map(Some) };
    let [catch, finally] = [block(offsets[0])?, block(offsets[1])?];
    frame.core.context.tries.push(Try { part: TryPart::Try, catch, finally, end: None });
    Ok(())
}

pub(super) fn endtry<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offset = offset::<N>(frame)?;
    let end = target(frame, offset)?;
    let inner = frame.core.context.tries.last_mut().ok_or(NO_TRY)?;
    if inner.part == TryPart::Finally {
        return Err(Neo3Fault::Wrong("ENDTRY in a finally block.").into());
    }
    let next = if let Some(finally) = inner.finally() {
        inner.part = TryPart::Finally;
        inner.end = Some(end);
        finally
    } else {
        frame.core.context.tries.pop();
        end
    };
    Ok(go_on(frame, next)?)
}

pub(super) fn endfinally(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let inner = frame.core.context.tries.pop().ok_or(NO_TRY)?;
    match frame.core.uncaught.take() {
        None => Ok(go_on(frame, inner.end.unwrap_or(-1))?),
        Some(pending) => Err(Neo3End::Thrown(pending).into()),
    }
}

const NO_TRY: Neo3Fault = Neo3Fault::Wrong("There is no try block.");

/// The charge for throwing an exception, in units.
const THROW: usize = 12;

pub(super) fn throw(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    Err(Neo3End::Thrown(frame.pop()?).into())
}

impl Neo3Frame<'_> {
    /// Continues in the innermost block that handles an exception, and removes all frames above it. Without
    /// such a block, the frames do not change.
    pub(super) fn throw(&mut self, exception: Neo3Item) -> Neo3Flow {
        self.visit_held()?;
        self.work(THROW)?;
        let mut above = 0;
        loop {
            let depth = self.core.callers.len();
            let tries = match depth.checked_sub(above) {
                Some(_) if above == 0 => &mut self.core.context.tries,
                Some(index) if index < depth => &mut self.core.callers[index].tries,
                _ => return Err(self.unhandled(&exception).into()),
            };
            while tries.last().is_some_and(Try::is_over) {
                tries.pop();
            }
            if !tries.is_empty() {
                break;
            }
            above += 1;
        }
        for _ in 0..above {
            self.work(2)?;
            unload(self);
            self.core.context = self.core.callers.pop().unwrap_or_default();
        }
        self.handle(exception)
    }

    /// Enters the block of the innermost try statement that handles the exception.
    fn handle(&mut self, exception: Neo3Item) -> Neo3Flow {
        let Some(inner) = self.core.context.tries.last_mut() else {
            return Err(self.unhandled(&exception).into());
        };
        if let (TryPart::Try, Some(catch)) = (inner.part, inner.catch()) {
            inner.part = TryPart::Catch;
            self.core.uncaught = None;
            self.push(exception);
            return Ok(go_on(self, catch)?);
        }
        inner.part = TryPart::Finally;
        let finally = inner.finally().unwrap_or(-1);
        self.core.uncaught = Some(exception);
        Ok(go_on(self, finally)?)
    }

    /// The fault for an exception that nothing handles.
    fn unhandled(&self, exception: &Neo3Item) -> Neo3Fault {
        let first = exception.list().and_then(|list| self.core.heap.list(list).first());
        let text = match first.unwrap_or(exception) {
            Neo3Item::ByteString(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        };
        Neo3Fault::Unhandled(text)
    }
}
