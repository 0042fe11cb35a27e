use super::kept::MAX_BYTES;
use super::{Recorder, WatchedInstructions};
use crate::machines::inspect::{Effects, Inspect};
use crate::machines::machine::{At, Watch};
use crate::machines::observe::Observe;
use crate::model::Value;

/// A machine with one large value on its stack.
struct Large;

impl Observe for Large {
    fn has_field(&self, _: &str) -> bool {
        false
    }

    fn observe(&self, _: &str) -> Option<Value> {
        None
    }
}

impl Inspect for Large {
    fn instruction(&self) -> String {
        "NOP".to_owned()
    }

    fn depth(&self) -> usize {
        1
    }

    fn height(&self) -> usize {
        1
    }

    fn item(&self, _: usize) -> Option<Value> {
        Some(Value::Bytes(vec![0; MAX_BYTES / 20]))
    }

    fn declared(&self, _: &dyn Fn(usize) -> bool) -> Effects {
        Effects::default()
    }
}

#[test]
fn large_values_push_old_instructions_out() {
    let mut recorder = Recorder::new(Vec::new(), 0..u64::MAX, WatchedInstructions::All, 0);
    for pc in 0..100 {
        recorder.before(&At { pc, op: None, code: 0, operand: &[], state: &Large });
        let kept: usize = recorder.kept.records.iter().map(crate::model::ExecutedInstruction::bytes).sum();
        assert_eq!(kept, recorder.kept.bytes);
        assert!(kept <= MAX_BYTES, "{kept} bytes");
    }
    assert_eq!(recorder.kept.records.len(), 19);
    assert_eq!(recorder.kept.records.back().map(|last| last.at.pc), Some(99));
}
