//! The loop of a machine, generated from the rows of its instruction set.

/// The part of a machine's state that the loop keeps in registers. The loop calls these methods for each
/// instruction, in this order.
pub(crate) trait Interpreted {
    /// Why a run ends.
    type Stop;
    /// What a handler can change in a lent frame.
    type Hot;
    /// The frame that handlers work on.
    type Lent<'l>: Interpreted<Stop = Self::Stop, Hot = Self::Hot>
    where
        Self: 'l;

    /// The code at the program counter.
    fn lead(&self) -> u8;

    /// The code at the program counter, which moves past it.
    fn fetch(&mut self) -> u8;

    /// Checks the stack and takes the base cost; false if the instruction cannot be executed. A machine without gas
    /// whose handlers check each operand when they pop it, so that those above an invalid one are removed, keeps this.
    #[inline(always)]
    fn enter<const POPS: usize, const PUSHES: usize>(&mut self, _gas: u64) -> bool {
        true
    }

    /// Why [`Interpreted::enter`] returned false.
    #[inline(always)]
    fn refuse<const POPS: usize>(&mut self, _gas: u64) -> Self::Stop {
        unreachable!("a machine that refuses instructions says why")
    }

    /// A copy of the frame for the handler. In an inlined handler the copy costs nothing; in others it lets the loop
    /// keep the original in registers.
    fn lend(&mut self) -> Self::Lent<'_>;

    /// The part of a lent frame that the handler may have changed.
    fn hot(&self) -> Self::Hot;

    /// Copies the handler's changes back to the frame. Returns the handler's result, or why the run ends
    /// although the handler succeeded.
    fn settle(&mut self, hot: Self::Hot, flow: Result<(), Self::Stop>) -> Result<(), Self::Stop>;

    /// The final step at the end of a run.
    fn stop(&mut self, stop: Self::Stop) -> Self::Stop;

    /// Moves the program counter past the operands, if handlers do not.
    #[inline(always)]
    fn advance(&mut self, _length: usize) {}

    /// What a code without a row does.
    fn undefined(&mut self) -> Self::Stop;
}

/// Generates `interpret(&mut Frame, &mut impl Meter) -> Option<Stop>` from the rows of a machine, whose `Frame` is
/// [`Interpreted`]. It runs until a handler or the meter ends it.
macro_rules! interpreter {
    (
        { $interpret:ident($frame:ident: $op:ident) -> $stop:ty }
        $({
            $code:literal [$($name:ident)+] $operands:tt $gas:tt $pops:tt $pushes:tt $handler:tt
            $doc:literal $effects:tt
        })*
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
            use $crate::machines::interpreter::Interpreted;
            $($(const $name: u8 = $op::$name as u8;)+)*
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
                    $($($name => $crate::isa::rows::with_number!($name: {
                        if !frame.enter::<$pops, $pushes>($gas) {
                            return Some(frame.refuse::<$pops>($gas));
                        }
                        let mut lent = frame.lend();
                        let flow = $handler(&mut lent);
                        let hot = lent.hot();
                        if let Err(stop) = frame.settle(hot, flow) {
                            return Some(frame.stop(stop));
                        }
                        frame.advance(const { $crate::isa::fixed_len($crate::isa::rows::operands!($operands)) });
                    }),)+)*
                    $crate::isa::rows::every_code!() => return Some(frame.undefined()),
                }
            }
        }
    };
}

pub(crate) use interpreter;
