//! The loop of a machine, made of the rows of its instruction set.

/// Makes of the rows of a machine `interpret(&mut Frame, &mut impl Meter) -> Option<Stop>`, which ends
/// when a handler or the meter says so.
///
/// `Frame` has these methods, called in this order for each instruction:
///
/// | method | what it does |
/// |---|---|
/// | `lead()` | the code at the program counter |
/// | `fetch()` | the code at the program counter, which moves past it |
/// | `enter::<POPS, PUSHES>(gas)` | checks stack and base cost; false when the instruction cannot be executed |
/// | `refuse::<POPS>(gas)` | why it cannot |
/// | `lend()` | a copy of the frame for the handler |
/// | `hot()`, `settle(hot, flow)` | what the handler changed, from the copy to the frame; what it returned, or why the run ends all the same |
/// | `stop(stop)` | the last thing, when the run ends |
/// | `advance(length)` | moves the program counter over the operands, where handlers do not |
/// | `undefined()` | what a code without a row does |
macro_rules! interpreter {
    (
        { $interpret:ident($frame:ident) -> $stop:ty }
        $($code:literal $name:ident [$($operand:ident($size:literal))*] $($gas:literal)?
            ($pops:literal -> $pushes:literal) $handler:path, $doc:literal, [$($effect:expr),*];)*
    ) => {
        /// The loop: fetches and executes until a handler or the meter ends it.
        // Each arm goes back to the top by itself: a result that all arms share would have to be
        // looked at after each instruction.
        // Inlined, so that the frame is a local there and its fields can be in registers.
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
