//! How a run continues after a failing instruction that a planted fault excuses.

use revm_interpreter::interpreter::EthInterpreter;
use revm_interpreter::interpreter_types::{Jumps, LoopControl};
use revm_interpreter::{Gas, Interpreter};
use revm_primitives::U256;

/// The state of the frame after its next instruction, if that fails.
pub(super) struct Excused {
    pub(super) stack: Vec<U256>,
    pub(super) gas: Gas,
    pub(super) pc: usize,
}

impl Excused {
    /// Continues after an instruction that has failed.
    pub(super) fn continue_with(self, interpreter: &mut Interpreter<EthInterpreter>) {
        if interpreter.bytecode.action().is_some() {
            interpreter.take_next_action();
        }
        // In place: the engine writes to the limit of the stack without growing it.
        let stack = interpreter.stack.data_mut();
        stack.clear();
        stack.extend_from_slice(&self.stack);
        interpreter.gas = self.gas;
        interpreter.bytecode.absolute_jump(self.pc);
    }
}
