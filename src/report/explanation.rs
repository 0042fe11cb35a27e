//! Why one case fails, for people: what `vmconf diff` prints. The essentials of an ordinary failure fit a
//! screen of 24 lines.

mod blame_tree;
mod gas;

use std::io::{self, Write};
use std::ops::Range;

use self::blame_tree::{BlameLines, blamed};
use self::gas::{overspent, spent};
use super::case_block::{self, broke_down, broken, differs, flaky, not_as_known};
pub use super::executed::ExplanationLength;
use super::executed::{executed_by, input, numbered};
use super::style::{ACTUAL, DIM, ERROR, EXPECTED, FAIL, WIDTH, location};
use super::truncate::{truncate, truncate_pair};
use super::world;
use crate::model::explanation::END;
use crate::model::{
    Blame, BlameAnswer, CaseDifference, ComparedWith, DivergedDatum, ExecutedInstruction, Expected,
    ExplainedCase, Explanation, Failure, FirstDivergence, NotPassed, Path, PathKey, RowDeviation,
    StackComparison, Value, Verdict, counted, escaped, vector_step,
};

/// The number of lines of a screen.
const SCREEN: usize = 24;

/// The minimum number of last instructions shown, even if the rest already fills the screen.
const MIN_LAST: usize = 3;

/// How many instructions stand in a line of those that were executed earlier.
const EARLIER_PER_LINE: usize = 4;

/// The longest key of a path in a single line.
const MAX_KEY: usize = 12;

/// The maximum number of differing data shown for two machines.
const MAX_DIVERGED: usize = 2;

/// The maximum number of differences shown after the first, one line each.
const FURTHER: usize = 3;

/// Writes why a case fails, or its verdict if it does not fail.
pub fn write(out: &mut dyn Write, explained: &Explanation, length: ExplanationLength) -> io::Result<()> {
    let mut text = Vec::new();
    let id = &explained.report.id;
    match &explained.report.verdict {
        Verdict::Pass | Verdict::Fixed(_) => writeln!(text, "pass  {id}: nothing differs")?,
        Verdict::Skip(reason) => writeln!(text, "skip  {id}: {}", escaped(reason))?,
        Verdict::Unsupported(reason) | Verdict::Known(NotPassed::Unsupported(reason), _) => {
            writeln!(text, "unsupported {id}: {}", escaped(reason))?;
        }
        Verdict::Crash(breakdown)
        | Verdict::Timeout(breakdown)
        | Verdict::Known(NotPassed::Crash(breakdown) | NotPassed::Timeout(breakdown), _) => {
            let word = explained.report.verdict.unlisted_kind().name().to_uppercase();
            broke_down(&mut text, &word, &explained.report, breakdown)?;
            on_embedded(&mut text, explained)?;
            let wanted = length.wanted(&text);
            last(&mut text, explained, wanted)?;
        }
        Verdict::Flaky(first) => {
            flaky(&mut text, &explained.report, first)?;
            on_embedded(&mut text, explained)?;
        }
        Verdict::Error(diagnostics) => {
            writeln!(text, "{ERROR}ERROR{ERROR:#} {id}")?;
            diagnostics.iter().try_for_each(|diagnostic| broken(&mut text, id, diagnostic))?;
            on_embedded(&mut text, explained)?;
            // If a limit ended the run, the last instructions show what it repeats.
            let wanted = length.wanted(&text);
            last(&mut text, explained, wanted)?;
        }
        Verdict::Fail(failure) | Verdict::Known(NotPassed::Fail(failure), _) => {
            failed(&mut text, explained, failure, length)?;
            not_as_known(&mut text, explained.report.listed.as_deref())?;
        }
    }
    if let Some(why) = explained.missing {
        writeln!(text, "  {why}")?;
    }
    out.write_all(&text)
}

/// The text of [`write()`] for [`ExplanationLength::Screen`], without colours. Fails when writing fails, which does not happen
/// in memory.
pub(super) fn plain(explained: &ExplainedCase) -> io::Result<String> {
    match explained {
        ExplainedCase::Text { text, .. } => Ok(text.clone()),
        ExplainedCase::Facts(explanation) => {
            let mut text = Vec::new();
            write(&mut text, explanation, ExplanationLength::Screen)?;
            Ok(case_block::plain(&text))
        }
    }
}

fn failed(
    text: &mut Vec<u8>,
    explained: &Explanation,
    failure: &Failure,
    length: ExplanationLength,
) -> io::Result<()> {
    let id = &explained.report.id;
    writeln!(text, "{FAIL}FAIL{FAIL:#}  {id}")?;
    if failure.state.is_some() {
        case_block::all_differences(text, id, failure)?;
        return case_block::ended(text, &truncate(&escaped(&failure.ended), 0, WIDTH));
    }
    let full = match length {
        ExplanationLength::Screen => 1,
        ExplanationLength::Full(_) => failure.differences.len(),
    };
    let is_also_shown = first_differences(text, explained, failure, full, length)?;
    if let Some(logs) = &explained.logs {
        world::logs(text, logs, length)?;
    }
    if let Some(world) = &explained.world {
        // Fees are leaves of nearly every state.
        spent(text, explained, None)?;
        world::leaves(text, world, length)?;
    }
    if length == ExplanationLength::Screen && !is_also_shown {
        also(text, explained, failure)?;
    }
    further_differences(text, explained, &failure.differences[full..], length)?;
    on_embedded(text, explained)?;
    let wanted = length.wanted(text);
    last(text, explained, wanted)?;
    case_block::ended(text, &truncate(&escaped(&failure.ended), 0, WIDTH))
}

/// Writes this number of differences with their origins. Returns whether the cause of a difference in gas was written.
fn first_differences(
    text: &mut Vec<u8>,
    explained: &Explanation,
    failure: &Failure,
    count: usize,
    length: ExplanationLength,
) -> io::Result<bool> {
    let mut is_also_shown = false;
    for (index, difference) in failure.differences.iter().take(count).enumerate() {
        differs(text, &explained.report.id, difference)?;
        if index == 0 {
            deviations(text, explained)?;
        }
        let answer = explained.blames.get(index);
        let is_gas = is_gas(&difference.at, answer);
        if is_gas {
            // A wrong value may change the price of an instruction that uses it, but not the other way round.
            let is_cause_shown = length == ExplanationLength::Screen && also(text, explained, failure)?;
            is_also_shown |= is_cause_shown;
            spent(text, explained, overspent(difference).as_ref())?;
            if is_cause_shown {
                continue;
            }
        }
        if let Some(answer) = answer {
            origin(text, explained, difference, answer, length)?;
        }
        if index == 0 && !is_gas {
            earlier(text, &explained.earlier)?;
        }
    }
    Ok(is_also_shown)
}

/// Writes where the actual value of a difference comes from.
fn origin(
    text: &mut Vec<u8>,
    explained: &Explanation,
    difference: &CaseDifference,
    answer: &BlameAnswer,
    length: ExplanationLength,
) -> io::Result<()> {
    match answer {
        BlameAnswer::NotWritten { of_last: None, near, besides: None } if is_existence(difference) => {
            writeln!(text, "    {DIM}made by{DIM:#}  no instruction: none created or deleted it")?;
            could_be(text, near.as_deref(), length)
        }
        // The leaves show which instruction made the root what it is.
        BlameAnswer::NoCell(_) if explained.world.is_some() => Ok(()),
        // The embedded machine's run goes on after the other one ends.
        BlameAnswer::NoCell(_) if explained.divergence.as_ref().is_some_and(FirstDivergence::is_end) => {
            Ok(())
        }
        answer => answered(text, answer, length),
    }
}

/// Writes the list that contains the first difference, and a line for each of the other differences that it does not
/// show.
fn further_differences(
    text: &mut Vec<u8>,
    explained: &Explanation,
    others: &[CaseDifference],
    length: ExplanationLength,
) -> io::Result<()> {
    let mut rows = 0..0;
    if let Some(stack) = &explained.stack {
        let reserved = MIN_LAST + 3 + others.len().min(1);
        rows = stacks(text, stack, left(text, length).saturating_sub(reserved))?;
    }
    let is_row = |other: &&CaseDifference| {
        let list = explained.stack.as_ref().map(|stack| &stack.at);
        list.is_some_and(|list| rows.clone().any(|row| other.at.starts_with(&list.child(row))))
    };
    let others: Vec<_> = others.iter().filter(|other| !is_row(other)).collect();
    // More than two lines of further differences do not push out the last instructions.
    let left = left(text, length).saturating_sub(2);
    let most = left.saturating_sub(explained.last.len()).max(2).min(left.saturating_sub(MIN_LAST));
    further(text, explained, &others, most)
}

/// Writes where the machine diverges from the embedded one, and the first instruction that did not do what
/// its row declares.
fn deviations(text: &mut Vec<u8>, explained: &Explanation) -> io::Result<()> {
    if let Some(first @ FirstDivergence { step, pc, op, differs, .. }) = &explained.divergence {
        let instruction =
            pc.zip(op.as_ref()).map(|(pc, op)| format!(", 0x{pc:02x} {op}")).unwrap_or_default();
        match step {
            0 => writeln!(text, "    {DIM}diverges{DIM:#} from the start")?,
            step => writeln!(text, "    {DIM}diverges{DIM:#} at step {step}{}", escaped(&instruction))?,
        }
        if let Some([actual, embedded]) = first.decoded().map(|ops| ops.map(escaped)) {
            writeln!(text, "      executes {actual} there, the embedded machine {embedded}")?;
        }
        let after = if first.decoded().is_some() { &[] } else { &differs[..] };
        for DivergedDatum { datum, actual, embedded } in after.iter().take(MAX_DIVERGED) {
            let (actual, embedded) = truncate_pair(&escaped(actual), &escaped(embedded), 48);
            let datum = if datum == END { String::new() } else { format!("{datum} ") };
            let after = if *step == 0 { "" } else { "after it " };
            writeln!(text, "      {datum}{after}{actual}, on the embedded machine {embedded}")?;
        }
    }
    if explained.is_divergence_unsearched {
        writeln!(text, "    {DIM}diverges{DIM:#} at a step that vmconf bisect finds; this run is long")?;
    }
    let Some(RowDeviation { by, what }) = &explained.row_deviation else { return Ok(()) };
    writeln!(text, "    {DIM}deviates{DIM:#} from its row: {}", executed_by(by, WIDTH - 29))?;
    writeln!(text, "      {what}")
}

/// Writes whose instructions are shown, if they are not those of the machine that the case ran on.
fn on_embedded(text: &mut Vec<u8>, Explanation { report, embedded, .. }: &Explanation) -> io::Result<()> {
    let Some(kind) = embedded else { return Ok(()) };
    let machine = report.machine.as_deref().unwrap_or_default();
    writeln!(
        text,
        "  {DIM}instructions are those of the embedded {machine}; its verdict: {}{DIM:#}",
        kind.name()
    )
}

impl ExplanationLength {
    /// How many of the last instructions are shown after this text.
    fn wanted(self, text: &[u8]) -> usize {
        match self {
            ExplanationLength::Screen => left(text, self).saturating_sub(2).max(MIN_LAST),
            ExplanationLength::Full(wanted) => wanted,
        }
    }
}

/// How many more lines fit.
fn left(text: &[u8], length: ExplanationLength) -> usize {
    match length {
        ExplanationLength::Screen => SCREEN.saturating_sub(memchr::memchr_iter(b'\n', text).count()),
        ExplanationLength::Full(_) => usize::MAX,
    }
}

/// Whether a difference is that something exists or does not, such as an account.
fn is_existence(CaseDifference { expected, actual, .. }: &CaseDifference) -> bool {
    match expected {
        Expected::Absent | Expected::Only(_) => true,
        Expected::Record => actual.is_none(),
        _ => false,
    }
}

/// Whether gas decides the value: the gas itself, or a balance that a fee changes.
fn is_gas(at: &Path, answer: Option<&BlameAnswer>) -> bool {
    let is_fee = matches!(answer, Some(BlameAnswer::NotWritten { besides: Some(_), .. }));
    matches!(&*at.to_string(), "gas" | "gasUsed")
        || is_fee && at.last() == &PathKey::from("balance".to_owned())
}

/// One line about the origin of a difference: the instruction that made the first value that was made by one, else what
/// is known about the first value. `None` if nothing is known.
pub fn in_a_line(explained: &Explanation) -> Option<String> {
    let differences = explained.report.verdict.failure()?.differences.iter().map(|it| &it.at);
    let leaves = explained.world.iter().flat_map(|world| &world.leaves);
    let leaves = leaves.filter_map(|leaf| Some((&leaf.at, leaf.answer.as_ref()?)));
    let answers: Vec<_> = differences.zip(&explained.blames).chain(leaves).collect();
    let made = answers.iter().find(|(_, answer)| matches!(answer, BlameAnswer::By(_)));
    let (at, answer) = made.or(answers.first())?;
    let at = truncate(&brief_path(at), 0, WIDTH / 2);
    let room = WIDTH - 2 - " made by ".len() - at.chars().count();
    match answer {
        BlameAnswer::By(blame) => Some(format!("{at} made by {}", executed_by(&blame.by, room))),
        BlameAnswer::NoCell(last) => Some(format!("{at} after {}", executed_by(&last.as_ref()?.by, room))),
        BlameAnswer::NotWritten { besides: Some(besides), .. } => {
            Some(format!("{at} made by no instruction: {besides}"))
        }
        BlameAnswer::NotWritten { of_last: Some(last), .. } => {
            Some(format!("{at} not made by the last {last} instructions"))
        }
        BlameAnswer::NotWritten { .. } => {
            Some(format!("{at} made by no instruction: it was so from the start"))
        }
    }
}

/// The path with only the ends of long numbers, such as addresses: which datum of an account it is stands after one.
fn brief_path(at: &Path) -> String {
    let key = |key: &str| {
        let length = key.chars().count();
        if length <= MAX_KEY || !key.starts_with("0x") {
            return key.to_owned();
        }
        let [first, last] = [MAX_KEY / 2, length - MAX_KEY / 2 + 1];
        let (start, end): (String, String) =
            (key.chars().take(first).collect(), key.chars().skip(last).collect());
        format!("{start}…{end}")
    };
    at.to_string().split('/').map(key).collect::<Vec<_>>().join("/")
}

/// Writes what is known about the instruction that wrote the actual value.
fn answered(text: &mut Vec<u8>, answer: &BlameAnswer, length: ExplanationLength) -> io::Result<()> {
    let (head, blame) = match answer {
        BlameAnswer::By(blame) => {
            return blamed(text, "made by", blame, BlameLines { made: 8, reached: 3 }.of(length));
        }
        BlameAnswer::NotWritten { besides: Some(besides), .. } => {
            return writeln!(text, "    {DIM}made by{DIM:#}  no instruction: {}", escaped(besides));
        }
        BlameAnswer::NotWritten { near, of_last, besides: None } => {
            not_written(text, *of_last)?;
            return could_be(text, near.as_deref(), length);
        }
        BlameAnswer::NoCell(last) => ("after", last),
    };
    let most = BlameLines { made: 4, reached: 3 }.of(length);
    blame.as_ref().map_or(Ok(()), |blame| blamed(text, head, blame, most))
}

/// Writes the instructions of which one may have changed what the state does not show, without those that the text
/// names already.
fn earlier(text: &mut Vec<u8>, executed: &[ExecutedInstruction]) -> io::Result<()> {
    let is_named = |name: &str| memchr::memmem::find(text, name.as_bytes()).is_some();
    let name = |by: &ExecutedInstruction| {
        let [name, as_text] = [by.op?, &by.text].map(|name| escaped(&numbered(by, name)).to_string());
        (!is_named(&name) && !is_named(&as_text)).then_some(name)
    };
    let names: Vec<_> = executed.iter().filter_map(name).collect();
    let lines: Vec<_> = names.chunks(EARLIER_PER_LINE).map(|line| line.join("; ")).collect();
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(text, "    {DIM}earlier {DIM:#} {}", lines.join(";\n             "))
}

/// Writes the instruction that wrote another datum of the same kind, so that it could have written this one.
fn could_be(text: &mut Vec<u8>, near: Option<&Blame>, length: ExplanationLength) -> io::Result<()> {
    let most = BlameLines { made: 4, reached: 3 }.of(length);
    near.map_or(Ok(()), |near| blamed(text, "could be", near, most))
}

/// Writes the first difference that an instruction made, unless it is the first difference of the case or was made by
/// the instruction that is shown for that one. Returns whether it wrote anything.
fn also(text: &mut Vec<u8>, explained: &Explanation, failure: &Failure) -> io::Result<bool> {
    let made = explained.blames.iter().zip(&failure.differences).skip(1);
    let mut made = made.filter_map(|(answer, difference)| match answer {
        BlameAnswer::By(blame) => Some((blame, difference)),
        BlameAnswer::NotWritten { .. } | BlameAnswer::NoCell(_) => None,
    });
    let shown = explained.blames.first();
    let is_made = matches!(shown, Some(BlameAnswer::By(_)));
    let Some((blame, difference)) = made.next().filter(|_| !is_made) else { return Ok(false) };
    let is_shown = shown.and_then(BlameAnswer::blame).is_some_and(|shown| shown.by.step == blame.by.step);
    // Below it come how many more differences there are, the last instructions and the end.
    let room = left(text, ExplanationLength::Screen).saturating_sub(1 + 1 + MIN_LAST + 1 + 1);
    if is_shown || room == 0 {
        return Ok(false);
    }
    writeln!(text, "  {} also differs", difference.at)?;
    let made = room.min(3);
    blamed(text, "made by", blame, BlameLines { made, reached: (room - made).min(1) })?;
    Ok(true)
}

fn not_written(text: &mut Vec<u8>, of_last: Option<u64>) -> io::Result<()> {
    match of_last {
        Some(last) => writeln!(text, "    {DIM}made by{DIM:#}  not by the last {last} instructions"),
        None => writeln!(text, "    {DIM}made by{DIM:#}  no instruction: it was so from the start"),
    }
}

/// Writes the expected stack next to the actual one, at most `most` items around the first that differs.
/// Returns the range of the items written.
fn stacks(text: &mut Vec<u8>, stack: &StackComparison, most: usize) -> io::Result<Range<usize>> {
    const ROWS: usize = 5;
    let half = (WIDTH - 14) / 2;
    let count = stack.wanted.len().max(stack.actual.len());
    let rows = most.min(ROWS);
    if count < 2 || rows < 2 || stack.wanted.iter().all(Option::is_none) {
        return Ok(0..0);
    }
    let from = stack.differs.saturating_sub(rows / 2).min(count.saturating_sub(rows));
    writeln!(text, "  {DIM}{} expected and actual{DIM:#}", stack.at)?;
    let rows = from..count.min(from + rows);
    for index in rows.clone() {
        let actual = stack.actual.get(index);
        let (expected, is_wrong) = match stack.wanted.get(index) {
            None => ("(absent)".to_owned(), true),
            Some(None) => ("(not compared)".to_owned(), false),
            Some(Some(expected)) => (expected.to_string(), is_wrong(expected, actual)),
        };
        let actual = actual.map_or("(absent)".to_owned(), Value::to_string);
        let (expected, actual) =
            (truncate(&escaped(&expected), 0, half), truncate(&escaped(&actual), 0, half));
        // An item may also differ inside.
        let differs = is_wrong || index == stack.differs;
        let (mark, style) = if differs { ("!", ACTUAL) } else { (" ", DIM) };
        writeln!(
            text,
            "  {mark} [{index}] {EXPECTED}{expected:<half$}{EXPECTED:#} {style}{actual}{style:#}"
        )?;
    }
    Ok(rows)
}

fn is_wrong(expected: &Expected, actual: Option<&Value>) -> bool {
    match expected {
        Expected::Is(_) | Expected::Bits(_) => !actual.is_some_and(|actual| expected.is(actual)),
        Expected::Type(name) => !matches!(actual, Some(Value::Typed(its, _)) if its == name),
        _ => false,
    }
}

/// Writes the other differences, one line each, in at most `most` lines.
fn further(
    text: &mut Vec<u8>,
    explained: &Explanation,
    others: &[&CaseDifference],
    most: usize,
) -> io::Result<()> {
    let told =
        if others.len() <= most.min(FURTHER) { others.len() } else { FURTHER.min(most.saturating_sub(1)) };
    for other in &others[..told] {
        let CaseDifference { at, expected, place, step, .. } = other;
        let step = vector_step(*step);
        let head = format!("{}: {step}{at}", location(&explained.report.id, place));
        let room = (WIDTH.saturating_sub(head.chars().count() + 22) / 2).max(16);
        let actual = escaped(&other.actual_text()).into_owned();
        let (expected, actual) = truncate_pair(&escaped(&expected.to_string()), &actual, room);
        writeln!(
            text,
            "  {head}: expected {EXPECTED}{expected}{EXPECTED:#}, actual {ACTUAL}{actual}{ACTUAL:#}"
        )?;
    }
    let more = others.len() - told;
    if more > 0 {
        writeln!(text, "  and {}; --last N prints all", counted(more, "more difference"))?;
    }
    Ok(())
}

/// The maximum width of the place of an instruction.
const MAX_PLACE: usize = 24;

/// Whether one of these instructions, the last ones that were recorded, is known to make a failing case differ, or how
/// the run ended after them is what differs.
fn has_difference(explained: &Explanation, shown: &[ExecutedInstruction]) -> bool {
    let is_shown = |answer: &BlameAnswer| match answer {
        BlameAnswer::By(blame) => shown.first().is_some_and(|first| first.step <= blame.by.step),
        BlameAnswer::NotWritten { .. } => false,
        BlameAnswer::NoCell(_) => explained.world.is_none(),
    };
    // What the transaction changed is not what differs.
    let compared = explained.world.iter().filter(|world| world.against != ComparedWith::Before);
    let leaves = compared.flat_map(|world| &world.leaves);
    let answers = explained.blames.first().into_iter().chain(leaves.filter_map(|leaf| leaf.answer.as_ref()));
    explained.report.verdict.failure().is_some()
        && (explained.divergence.is_some() || answers.into_iter().any(is_shown))
}

/// Writes the last instructions, each with the stack before it, or with its inputs if there is no stack.
fn last(text: &mut Vec<u8>, explained: &Explanation, wanted: usize) -> io::Result<()> {
    let shown = &explained.last[explained.last.len().saturating_sub(wanted)..];
    if shown.is_empty() {
        return Ok(());
    }
    let has_stack = shown.iter().any(|it| it.height > 0 || it.pushes > 0);
    let what = if has_stack { "the stack before each, its top first" } else { "what each read" };
    let steps = explained.steps;
    // A run that goes on after the first difference has more.
    let end = if has_difference(explained, shown) { " up to the difference" } else { "" };
    writeln!(text, "  {DIM}last {} of {steps} instructions{end}, and {what}{DIM:#}", shown.len())?;
    let widest = shown.iter().map(|it| it.text.chars().count()).max().unwrap_or(0).clamp(8, 40);
    let place = |it: &ExecutedInstruction| truncate(&escaped(&it.at.shown(4)), 0, MAX_PLACE);
    let places = shown.iter().map(|it| place(it).chars().count()).max().unwrap_or(0);
    for it in shown {
        let values: Vec<_> = if has_stack {
            it.stack.iter().map(Value::to_string).collect()
        } else {
            it.inputs.iter().map(input).collect()
        };
        let more = it.height.saturating_sub(it.stack.len());
        let more = if has_stack && more > 0 { format!(", and {more} more") } else { String::new() };
        let instruction = truncate(&escaped(&it.text), 0, widest);
        let head = format!("  {:>6}  {:<places$}  {instruction:<widest$}  ", it.number(), place(it));
        let room = WIDTH.saturating_sub(head.chars().count()).max(20);
        let values = truncate(&escaped(&format!("{}{more}", values.join(", "))), 0, room);
        writeln!(text, "{}", format!("{head}{values}").trim_end())?;
    }
    Ok(())
}
