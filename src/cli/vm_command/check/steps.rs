//! How an adapter performs steps: in order, on one machine, beside the machine of this crate.

use vmconf::model::counted;
use vmconf::wire::protocol::{ObservedState, Offer, ProtocolAnswer, WireAction, WireStep};

use super::adapter::{CheckPoints, CheckedAdapter, unexpected};
use super::small_program::{SmallProgram, difference};

/// Tries a run whose steps depend on those before them, and a step with several actions. A machine that only executes
/// whole programs is sent neither.
pub(super) fn try_steps(
    adapter: &mut CheckedAdapter,
    small: &SmallProgram,
    offer: &Offer,
    points: &mut CheckPoints,
) {
    let performs = |action: &WireAction| offer.performs(action.name());
    let ones: Vec<_> = [WireAction::StepInto, WireAction::Run(1)].into_iter().filter(performs).collect();
    // Each kind of action that executes one instruction is tried.
    let (Some(first), Some(second)) = (ones.first(), ones.last()) else { return };
    let [WireStep { r#do: actions, observe }] = &small.steps[..] else { return };
    let step = |actions: &[WireAction]| WireStep { r#do: actions.to_vec(), observe: observe.clone() };
    // What the program needs before it is executed, such as the arguments of a function.
    let before: Vec<_> =
        actions.iter().take_while(|action| matches!(action, WireAction::Set(_))).cloned().collect();
    let [first, second] = [first, second].map(std::slice::from_ref);
    let mut steps = vec![step(&before), step(first), step(second)];
    if performs(&WireAction::Execute) {
        steps.push(step(&[WireAction::Execute]));
    }
    steps.push(step(&[]));
    try_order(adapter, small, &steps, points);
    try_together(adapter, small, &[step(&before), step(&[first, second].concat())], points);
}

/// Tries steps of which each begins where the one before it ended.
fn try_order(
    adapter: &mut CheckedAdapter,
    small: &SmallProgram,
    steps: &[WireStep],
    points: &mut CheckPoints,
) {
    let what = "performs steps in order on one machine";
    let Some(ours) = small.ours(steps) else { return };
    let theirs = match adapter.ask(&small.request(7, steps)) {
        Ok(ProtocolAnswer::Done(done)) => done.steps,
        answer => {
            let advice =
                "hello lists these actions: perform the steps in order, and report a state after each";
            return points.add(what, Err(unexpected(answer, advice)));
        }
    };
    if theirs.len() != steps.len() {
        let (states, steps) = (counted(theirs.len(), "state"), counted(steps.len(), "step"));
        return points.add(what, Err(format!("it reports {states} for {steps}; report one after each")));
    }
    let states = theirs.iter().zip(&ours).enumerate();
    let wrong =
        states.filter_map(|(index, (theirs, ours))| Some((index, difference(small.info, theirs, ours)?)));
    let explained = wrong.map(|(index, difference)| {
        let why = why(small, &steps[index], &theirs[index], &ours[index.saturating_sub(1)]);
        format!("after step {} of {}, {difference}; {why}", index + 1, steps.len())
    });
    points.add(what, explained.take(1).next().map_or(Ok(()), Err));
}

/// Why the state after a step may be wrong, and what to do. `before` is the right one before the step.
fn why(
    small: &SmallProgram,
    step: &WireStep,
    theirs: &ObservedState,
    before: &ObservedState,
) -> &'static str {
    let is = |other: &ObservedState| difference(small.info, theirs, other).is_none();
    let alone = small.ours(std::slice::from_ref(step));
    if alone.is_some_and(|alone| alone.first().is_some_and(is)) {
        "the step began on a fresh machine: make one machine for each request, and perform its steps in order"
    } else if step.r#do.is_empty() {
        "\"do\" is empty: report the state as it is"
    } else if is(before) {
        "it is the state before the step: perform the actions in \"do\""
    } else {
        "perform the actions in \"do\", and no others"
    }
}

/// Tries several actions in one step.
fn try_together(
    adapter: &mut CheckedAdapter,
    small: &SmallProgram,
    steps: &[WireStep],
    points: &mut CheckPoints,
) {
    let Some(ours) = small.ours(steps).and_then(|mut ours| ours.pop()) else { return };
    let advice = "perform all of them in order";
    let outcome = match adapter.ask(&small.request(8, steps)) {
        Ok(ProtocolAnswer::Done(mut done)) => {
            done.steps.pop().map_or(Err("it reports no state".to_owned()), |theirs| {
                let difference = difference(small.info, &theirs, &ours);
                difference.map_or(Ok(()), |it| Err(format!("after two actions in one step, {it}; {advice}")))
            })
        }
        answer => Err(unexpected(answer, advice)),
    };
    points.add("performs all actions of a step", outcome);
}
