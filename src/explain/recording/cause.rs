//! Which instruction decided data that a state has no row for, or that no instruction writes, as how a run ended.

use std::cmp::Reverse;

use super::Recording;
use super::moment::Moment;
use crate::explain::blame::{AskedDatum, Recorder, WINDOW, WatchedInstructions, WrongPart};
use crate::machines::machine::Watch;
use crate::model::{BlameAnswer, Path};

impl Recording {
    /// The number of the instruction that decided each datum in a state: that produced it or, if no cell holds it,
    /// the last one that read something or failed. `None` if there is none, and for states too long before the last
    /// of them.
    pub fn causes(&mut self, asked: &[(Moment, Path)]) -> Vec<Option<u64>> {
        let mut order: Vec<_> = (0..asked.len()).collect();
        order.sort_by_key(|index| Reverse(asked[*index].0));
        let mut causes = vec![None; asked.len()];
        let Some(last) = order.first().map(|index| asked[*index].0) else { return causes };
        let start = self.now;
        let first = last.step.saturating_sub(WINDOW as u64);
        order.retain(|index| asked[*index].0.step >= first);
        order.reverse();
        let datum = |index: &usize| AskedDatum { at: asked[*index].1.clone(), wrong: WrongPart::Whole };
        let questions = order.iter().map(|index| (*index, vec![datum(index)])).collect();
        let mut recorder = Recorder::new(questions, 0..u64::MAX, WatchedInstructions::Kept, 0);
        let mut from = first;
        for index in &order {
            let state = asked[*index].0;
            self.watch(from..state.step, &mut recorder);
            from = state.step;
            let machine = self.go_to(state);
            // If a run failed, data that it lacks were not made because of the failure.
            let field = asked[*index].1.first().to_string();
            let is_lacking = machine.failure().is_some() && machine.observe(&field).is_none();
            causes[*index] = is_lacking.then_some(state.step);
            recorder.after_step(*index, machine.inspect());
        }
        for (index, answer) in order.into_iter().zip(recorder.found.answers) {
            if let BlameAnswer::By(blame) | BlameAnswer::NoCell(Some(blame)) = answer {
                causes[index] = Some(first + blame.by.step + 1);
            }
        }
        self.go_to(start);
        causes
    }
}
