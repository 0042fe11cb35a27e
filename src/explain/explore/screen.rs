//! Draws the screen of the explorer into a buffer of characters: the same for a terminal and for tests.
//!
//! Nothing is conveyed by colour alone: `>` marks the next instruction, `!` one that failed, `*` what the last
//! instruction wrote, `~` what changed otherwise, and the selected line is reversed and starts with `▏`.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use super::beside::{ComparedSide, PairedExplorer};
use super::code::PlacedLine;
use super::details::ExplorerOverlay;
use super::list::PlaceList;
use super::picker::{CasePicker, PICKER_KEYS, PickerMode};
use super::{DatumChange, Explorer, ExplorerMode, KEYS, Pane, Prompt, StateLine, time_line};
use crate::explain::recording::Direction;
use crate::machines::inspect::InspectSource;
use crate::machines::view::ViewScope;
use crate::model::escaped;
use crate::text::columns::{columns, first_columns};

/// The share of the width for the code, in percent.
const CODE: u16 = 45;

/// The maximum number of lines for the assertion.
const MAX_OF_ASSERTION: usize = 4;

/// The minimum height of a screen that also shows the source, if there is one.
const SOURCE_FROM: u16 = 20;

/// The minimum width for two columns of keys.
const WIDE: u16 = 124;

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const REVERSED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Where the parts of the screen are.
struct Parts {
    title: Rect,
    code: Rect,
    source: Rect,
    state: Rect,
    below: Rect,
    message: Rect,
}

impl Parts {
    fn new(explorer: &Explorer, area: Rect) -> Parts {
        let below = explorer.below(area.width.into()).len() as u16;
        let rows =
            [Constraint::Length(1), Constraint::Min(1), Constraint::Length(below), Constraint::Length(1)];
        let [title, middle, below, message] = area.layout(&Layout::vertical(rows));
        let [left, state] = middle
            .layout(&Layout::horizontal([Constraint::Percentage(CODE), Constraint::Percentage(100 - CODE)]));
        let share = if explorer.source.is_empty() || area.height < SOURCE_FROM { 0 } else { left.height / 3 };
        let [code, source] = left.layout(&Layout::vertical([Constraint::Min(1), Constraint::Length(share)]));
        Parts { title, code, source, state, below, message }
    }
}

/// The pane at a position of the screen, and the line in it.
pub fn line_at(explorer: &Explorer, area: Rect, place: Position) -> Option<(Pane, usize)> {
    if is_covered(explorer) {
        return None;
    }
    let parts = Parts::new(explorer, area);
    line_in(explorer, [parts.code, parts.state], place)
}

/// Whether a list or a whole line is over the panes.
fn is_covered(explorer: &Explorer) -> bool {
    matches!(explorer.mode, ExplorerMode::List(_) | ExplorerMode::Details(_))
}

/// The first state at a position of the time line.
pub fn time_at(explorer: &Explorer, area: Rect, place: Position) -> Option<u64> {
    let parts = Parts::new(explorer, area);
    let is_on_it = !is_covered(explorer)
        && parts.below.contains(place)
        && usize::from(place.y - parts.below.y) < time_line::LINES;
    is_on_it.then(|| explorer.time_at(usize::from(place.x - area.x), area.width.into())).flatten()
}

/// The same in the areas of the code and of the state.
fn line_in(explorer: &Explorer, [code, state]: [Rect; 2], place: Position) -> Option<(Pane, usize)> {
    let panes = [
        (Pane::Code, code, explorer.selected_code, explorer.code.lines.len()),
        (Pane::State, state, explorer.selected_state, explorer.state.len()),
    ];
    let (pane, area, selected, count) = panes.into_iter().find(|pane| inner(pane.1).contains(place))?;
    let area = inner(area);
    let line = first_shown(selected, count, area.height.into()) + usize::from(place.y - area.y);
    (line < count).then_some((pane, line))
}

/// Draws the screen.
pub fn paint(explorer: &mut Explorer, frame: &mut Frame<'_>) {
    let area = frame.area();
    let parts = Parts::new(explorer, area);
    explorer.page = usize::from(inner(parts.state).height).max(1);
    frame.render_widget(title(explorer, parts.title.width), parts.title);
    pane(frame, parts.code, &explorer.code_title(), explorer.pane == Pane::Code, explorer.code_lines());
    if parts.source.height > 0 {
        pane(frame, parts.source, "source", false, explorer.source_lines());
    }
    pane(frame, parts.state, &explorer.state_title(), explorer.pane == Pane::State, explorer.state_lines());
    let below: Vec<Line<'_>> = explorer.below(area.width.into()).into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(below), parts.below);
    frame.render_widget(Line::styled(explorer.message_line(), BOLD), parts.message);
    paint_over(&mut explorer.mode, frame, area);
}

/// Draws what is over the panes.
fn paint_over(mode: &mut ExplorerMode, frame: &mut Frame<'_>, area: Rect) {
    match mode {
        ExplorerMode::Help => help(frame, area),
        ExplorerMode::List(list) => list_of_places(frame, area, list),
        ExplorerMode::Details(details) => whole_line(frame, area, details),
        ExplorerMode::Commands | ExplorerMode::Typing(..) => {}
    }
}

fn title(explorer: &Explorer, width: u16) -> Line<'static> {
    let (now, all) = (explorer.recording.now().step(), explorer.recording.steps());
    let right = format!(" step {now} of {all}");
    title_line(&explorer.title, &right, width)
}

fn title_line(left: &str, right: &str, width: u16) -> Line<'static> {
    let room = usize::from(width).saturating_sub(columns(right));
    let left = escaped(left);
    let left = first_columns(&left, room);
    let gap = room.saturating_sub(columns(left));
    Line::styled(format!("{left}{:gap$}{right}", ""), REVERSED)
}

/// The part of a pane inside its border.
fn inner(area: Rect) -> Rect {
    Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
}

/// A line of a pane, and whether it is the selected one.
struct PaneLine {
    text: Line<'static>,
    is_selected: bool,
}

/// The first of `count` lines to show if `room` lines fit, so that the selected one is in the middle.
fn first_shown(selected: usize, count: usize, room: usize) -> usize {
    selected.saturating_sub(room / 2).min(count.saturating_sub(room))
}

fn pane(frame: &mut Frame<'_>, area: Rect, title: &str, has_keys: bool, lines: Vec<PaneLine>) {
    let style = if has_keys { BOLD } else { Style::new() };
    let mark = if has_keys { "═ " } else { " " };
    let block = Block::new().borders(Borders::TOP).title(Span::styled(format!("{mark}{title} "), style));
    frame.render_widget(block, area);
    let area = inner(area);
    let selected = lines.iter().position(|line| line.is_selected).unwrap_or(0);
    let from = first_shown(selected, lines.len(), area.height.into());
    let shown = lines.into_iter().skip(from).take(area.height.into()).map(|line| {
        let mark = if line.is_selected { "▏" } else { " " };
        let mut spans = vec![Span::raw(mark)];
        spans.extend(line.text.spans);
        let text = Line::from(spans).style(line.text.style);
        if line.is_selected && has_keys { text.patch_style(REVERSED) } else { text }
    });
    frame.render_widget(Paragraph::new(shown.collect::<Vec<_>>()), area);
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let half = KEYS.len().div_ceil(2);
    let cell = |row: Option<&super::KeyRow>| {
        let Some(row) = row else { return String::new() };
        let names: Vec<_> = row.keys.iter().map(|(_, name)| *name).collect();
        format!("{:>9}  {}", names.join(" "), row.doc)
    };
    let mut lines: Vec<Line<'_>> = if area.width < WIDE {
        narrow_help(|row| cell(Some(row)), usize::from(area.width).saturating_sub(2) / 2)
    } else {
        let both = |index| format!("{:<62}{}", cell(KEYS.get(index)), cell(KEYS.get(half + index)));
        (0..half).map(|index| both(index).into()).collect()
    };
    let block = Block::bordered().title(" keys; any key closes this ");
    let room = usize::from(block.inner(area).height);
    if lines.len() > room {
        lines.truncate(room.saturating_sub(1));
        lines.push("… a larger terminal shows the other keys".into());
    }
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// The keys in lines of one or two rows: a row shares its line with the next one if both are shorter than `half`.
fn narrow_help(cell: impl Fn(&super::KeyRow) -> String, half: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for text in KEYS.iter().map(cell) {
        let is_short = columns(&text) < half;
        match lines.last_mut() {
            Some(line) if is_open && is_short => {
                *line = format!("{line:<half$}{text}");
                is_open = false;
            }
            _ => {
                lines.push(text);
                is_open = is_short;
            }
        }
    }
    lines.into_iter().map(Line::from).collect()
}

fn list_of_places(frame: &mut Frame<'_>, area: Rect, list: &PlaceList) {
    let block = Block::bordered().title(format!(" {}; enter goes there ", escaped(&list.title)));
    let room = block.inner(area).height.into();
    let from = first_shown(list.selected, list.lines.len(), room);
    let lines = list.lines.iter().enumerate().skip(from).take(room).map(|(index, (text, _))| {
        let (mark, style) = if index == list.selected { ("▏", REVERSED) } else { (" ", Style::new()) };
        Line::styled(format!("{mark}{}", escaped(text)), style)
    });
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
}

/// Draws a list of cases.
pub fn paint_picker(picker: &mut CasePicker, frame: &mut Frame<'_>) {
    let area = frame.area();
    picker.page = usize::from(area.height).saturating_sub(2).max(1);
    list_of_places(frame, area, &picker.list);
    if picker.mode == PickerMode::Help {
        let block = Block::bordered().title(" keys; any key closes this ");
        let lines = PICKER_KEYS.iter().map(|(keys, doc)| Line::from(format!("{keys}: {doc}")));
        frame.render_widget(Clear, area);
        frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
    }
}

/// A text of any length, in as many lines as it takes.
fn whole_line(frame: &mut Frame<'_>, area: Rect, details: &mut ExplorerOverlay) {
    let title = format!(" {}; up and down scroll, any other key closes this ", details.title);
    let block = Block::bordered().title(title);
    let inside = block.inner(area);
    let (width, room) = (usize::from(inside.width).max(1), usize::from(inside.height));
    let lines: Vec<_> = details.lines.iter().flat_map(|line| wrapped(line, width)).collect();
    details.first = details.first.min(lines.len().saturating_sub(room));
    let shown = lines.into_iter().skip(details.first).take(room).map(Line::from);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(shown.collect::<Vec<_>>()).block(block), area);
}

/// A line in pieces that are at most so many cells wide.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut cells = 0;
    for character in line.chars() {
        let its = columns(character.encode_utf8(&mut [0; 4]));
        if cells + its > width && cells > 0 {
            pieces.push(String::new());
            cells = 0;
        }
        cells += its;
        pieces.last_mut().into_iter().for_each(|piece| piece.push(character));
    }
    pieces
}

/// Draws two runs beside each other: above the code, below the state of each, and under both what differs.
pub fn paint_pair(pair: &mut PairedExplorer, frame: &mut Frame<'_>) {
    let below = pair.below(frame.area().width.into());
    let PairParts { title, halves, under, message } = PairParts::new(&below, frame.area());
    frame.render_widget(pair_title(pair, title.width), title);
    for (index, area) in halves.into_iter().enumerate() {
        let has_keys = index == pair.active;
        paint_side(pair.side_mut(index), frame, area, has_keys);
    }
    frame.render_widget(Paragraph::new(below.into_iter().map(Line::from).collect::<Vec<_>>()), under);
    frame.render_widget(Line::styled(pair.active_side().explorer.message_line(), BOLD), message);
    let area = frame.area();
    let active = pair.active;
    paint_over(&mut pair.side_mut(active).explorer.mode, frame, area);
}

fn pair_title(pair: &PairedExplorer, width: u16) -> Line<'static> {
    let active = &pair.active_side().explorer;
    let all = pair.sides().each_ref().map(|side| side.explorer.recording.steps().to_string());
    let all = if all[0] == all[1] { all[0].clone() } else { all.join(" | ") };
    title_line(&active.title, &format!(" step {} of {all}", pair.step()), width)
}

/// The share of the height of a half for the code, in percent.
const CODE_OF_HALF: u16 = 40;

/// Where the parts of a screen with two runs are.
struct PairParts {
    title: Rect,
    halves: [Rect; 2],
    under: Rect,
    message: Rect,
}

impl PairParts {
    fn new(below: &[String], area: Rect) -> PairParts {
        let below = below.len() as u16;
        let rows =
            [Constraint::Length(1), Constraint::Min(1), Constraint::Length(below), Constraint::Length(1)];
        let [title, middle, under, message] = area.layout(&Layout::vertical(rows));
        let halves = middle.layout(&Layout::horizontal([Constraint::Percentage(50); 2]));
        PairParts { title, halves, under, message }
    }
}

/// The code, the state and the end of a run in its half.
fn parts_of_half(area: Rect) -> [Rect; 3] {
    let rows = [Constraint::Percentage(CODE_OF_HALF), Constraint::Min(1), Constraint::Length(1)];
    area.layout(&Layout::vertical(rows))
}

/// The run at a position of a screen with two, its pane there, and the line in it.
pub fn line_of_pair_at(pair: &PairedExplorer, area: Rect, place: Position) -> Option<(usize, Pane, usize)> {
    let parts = PairParts::new(&pair.below(area.width.into()), area);
    let index = parts.halves.iter().position(|half| half.contains(place))?;
    let explorer = &pair.sides()[index].explorer;
    let [code, state, _] = parts_of_half(parts.halves[index]);
    let (pane, line) = line_in(explorer, [code, state], place)?;
    Some((index, pane, line))
}

fn paint_side(side: &mut ComparedSide, frame: &mut Frame<'_>, area: Rect, has_keys: bool) {
    let explorer = &mut side.explorer;
    let [code, state, end] = parts_of_half(area);
    explorer.page = usize::from(inner(state).height).max(1);
    let has = |pane| has_keys && explorer.pane == pane;
    let title = format!("{}: {}", escaped(&side.name), explorer.code_title());
    pane(frame, code, &title, has(Pane::Code), explorer.code_lines());
    pane(frame, state, &explorer.state_title(), has(Pane::State), explorer.state_lines());
    let ended: String = explorer.ended().unwrap_or_default();
    frame.render_widget(Line::from(escaped(&ended).into_owned()), end);
}

impl Explorer {
    fn code_title(&self) -> String {
        self.code.name.as_ref().map_or("code".to_owned(), |name| escaped(name).into_owned())
    }

    fn code_lines(&self) -> Vec<PaneLine> {
        let line = |(index, placed): (usize, &PlacedLine)| {
            let PlacedLine { line, place } = placed;
            let mark = self.mark.filter(|(pc, _)| *pc == line.pc).map_or(' ', |(_, mark)| mark.sign());
            let source = line.line.map_or(String::new(), |line| format!("  ; line {line}"));
            let text = format!("{mark}{:>5}  {}{source}{}", line.label, escaped(&line.text), place.remark());
            let text = Line::styled(text, if mark == ' ' { Style::new() } else { BOLD });
            PaneLine { text, is_selected: index == self.selected_code }
        };
        self.code.lines.iter().enumerate().map(line).collect()
    }

    fn source_lines(&self) -> Vec<PaneLine> {
        let current = self.recording.machine().source().and_then(InspectSource::line);
        let line = |(index, text): (usize, &String)| {
            let is_selected = current == Some(index as u64 + 1);
            let mark = if is_selected { '>' } else { ' ' };
            PaneLine { text: format!("{mark}{:>4}  {}", index + 1, escaped(text)).into(), is_selected }
        };
        self.source.iter().enumerate().map(line).collect()
    }

    fn state_title(&self) -> String {
        self.gone().map_or("state".to_owned(), |datum| {
            format!("state; {} is not in it", escaped(&datum.id.to_string()))
        })
    }

    fn state_lines(&self) -> Vec<PaneLine> {
        let is_gone = self.gone().is_some();
        let step = self.recording.now().step();
        let line = |(index, line): (usize, &StateLine)| {
            let text = match line {
                StateLine::Heading(title) => Line::styled(escaped(title).into_owned(), BOLD),
                StateLine::LeftOut(count) => Line::from(format!("  … {count} more")),
                StateLine::Row { row, datum, change } => {
                    let is_differing = self.differing.contains(&index);
                    let (sign, indent) = (if is_differing { '≠' } else { change.sign() }, 2 * row.depth);
                    let out = if row.scope == ViewScope::Out { " (out of scope)" } else { "" };
                    let demanded = self.demands.beside(step, &datum.id, &row.value);
                    let (name, value) = (escaped(&row.name), escaped(&row.value));
                    let text = format!("{sign} {:indent$}{name}: {value}{demanded}{out}", "");
                    let style = match (change, row.scope) {
                        (DatumChange::Written | DatumChange::Otherwise, _) => BOLD,
                        (DatumChange::None, _) if is_differing => BOLD,
                        (DatumChange::None, ViewScope::Out) => DIM,
                        (DatumChange::None, ViewScope::In) => Style::new(),
                    };
                    Line::styled(text, style)
                }
            };
            PaneLine { text, is_selected: !is_gone && index == self.selected_state }
        };
        self.state.iter().enumerate().map(line).collect()
    }

    /// How the machine ended, at the end.
    fn ended(&self) -> Option<String> {
        self.recording.ended().map(|how| format!("ended: {how}"))
    }

    /// The lines below the panes: the time line, how the machine ended, and the assertion.
    fn below(&self, width: usize) -> Vec<String> {
        let end = self.ended();
        let shown = self.assertions.get(self.shown_assertion);
        let assertion = shown.into_iter().flat_map(|assertion| assertion.text.clone());
        let lines = end.into_iter().chain(assertion.take(MAX_OF_ASSERTION));
        let lines = lines.map(|line| escaped(&line).into_owned());
        self.time_lines(width).into_iter().chain(lines).collect()
    }

    fn message_line(&self) -> String {
        match &self.mode {
            ExplorerMode::Typing(Prompt::Step, text) => format!("to step: {}_", escaped(text)),
            ExplorerMode::Typing(Prompt::Search(direction), text) => {
                let back = if *direction == Direction::Back { " back" } else { "" };
                format!("search{back} (instruction, =value, \"row): {}_", escaped(text))
            }
            ExplorerMode::Typing(Prompt::Change, text) => {
                format!("next change by other than (or =value): {}_", escaped(text))
            }
            ExplorerMode::Commands
            | ExplorerMode::Help
            | ExplorerMode::List(_)
            | ExplorerMode::Details(_) => match &*self.message {
                "" => "? keys  q quit  s/b step, back  p/n writes  f failure  g step  / search".to_owned(),
                message => escaped(message).into_owned(),
            },
        }
    }
}
