//! The loop of a machine, generated from the rows of its instruction set.

/// Generates `interpret(&mut Frame, &mut impl Meter) -> Option<Stop>` from the rows of a machine. It runs
/// until a handler or the meter ends it.
///
/// `Frame` has these methods, called in this order for each instruction:
///
/// | method | what it does |
/// |---|---|
/// | `lead()` | the code at the program counter |
/// | `fetch()` | the code at the program counter, which moves past it |
/// | `enter::<POPS, PUSHES>(gas)` | checks stack and base cost; false if the instruction cannot be executed |
/// | `refuse::<POPS>(gas)` | why it cannot be executed |
/// | `lend()` | a copy of the frame for the handler |
/// | `hot()`, `settle(hot, flow)` | copies the handler's changes back to the frame; returns the handler's result, or why the run ends anyway |
/// | `stop(stop)` | the final step at the end of the run |
/// | `advance(length)` | moves the program counter past the operands, if handlers do not |
/// | `undefined()` | what a code without a row does |
macro_rules! interpreter {
    (
        { $interpret:ident($frame:ident) -> $stop:ty }
        $($code:literal $name:ident [$($operand:ident($size:literal))*] $($gas:literal)?
            ($pops:literal -> $pushes:literal) $handler:path, $doc:literal, [$($effect:expr),*];)*
    ) => {
        /// The loop: fetches and executes until a handler or the meter ends it.
        // Each arm returns to the top by itself: a result shared by all arms would have to be checked after
        // each instruction. Inlined, so that the frame is a local variable of the caller and its fields can
        // be in registers.
        #[inline(always)]
        pub(super) fn $interpret(
            frame: &mut $frame<'_>,
            meter: &mut impl $crate::machines::machine::Meter,
        ) -> Option<$stop> {
            loop {
                if meter.tick(|| frame.lead()).is_break() {
                    return None;
                }
                #[allow(
                    unreachable_patterns,
                    clippy::manual_range_patterns,
                    reason = "the last arm lists every code, also those with a row"
                )]
                match frame.fetch() {
                    $($code => {
                        if !frame.enter::<$pops, $pushes>(0 $(+ $gas)?) {
                            return Some(frame.refuse::<$pops>(0 $(+ $gas)?));
                        }
                        let mut lent = frame.lend();
                        let flow = $handler(&mut lent);
                        let hot = lent.hot();
                        if let Err(stop) = frame.settle(hot, flow) {
                            return Some(frame.stop(stop));
                        }
                        frame.advance(const {
                            $crate::isa::fixed_len(&[$($crate::isa::Operand::$operand($size)),*])
                        });
                    })*
                    $crate::isa::rows::every_code!() => return Some(frame.undefined()),
                }
            }
        }
    };
}

pub(crate) use interpreter;
