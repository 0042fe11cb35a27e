//! The terminal of `vmconf explore`: reads keys and the mouse, and leaves the terminal as it was.

use std::io::{self, IsTerminal, Stdout, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::bail;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::layout::Position;
use vmconf::explain::explore::beside::PairedExplorer;
use vmconf::explain::explore::{
    CasePicker, Explorer, ExplorerCommand, ExplorerFlow, ExplorerKey, PickReaction, screen,
};
use vmconf::model::Exit;
use vmconf::testees::process::ProcessGroups;

/// How long to wait before signals and keys are checked again.
const PAUSE: Duration = Duration::from_millis(100);

/// How long the program may take to end after a signal.
const GRACE: Duration = Duration::from_secs(1);

pub(super) enum ShownRuns {
    One(Box<Explorer>),
    Two(Box<PairedExplorer>),
}

impl ShownRuns {
    fn paint(&mut self, frame: &mut Frame<'_>) {
        match self {
            ShownRuns::One(explorer) => screen::paint(explorer, frame),
            ShownRuns::Two(pair) => screen::paint_pair(pair, frame),
        }
    }

    fn take_copied(&mut self) -> Option<String> {
        match self {
            ShownRuns::One(explorer) => explorer.take_copied(),
            ShownRuns::Two(pair) => pair.take_copied(),
        }
    }

    fn press(&mut self, key: ExplorerKey, keep_going: &mut dyn FnMut(u64) -> bool) -> ExplorerFlow {
        match self {
            ShownRuns::One(explorer) => explorer.press(key, keep_going),
            ShownRuns::Two(pair) => pair.press(key, keep_going),
        }
    }
}

type ScreenTerminal = Terminal<CrosstermBackend<Stdout>>;

/// What signals do: before the screen is shown they end the process, and then they leave the screen first. The
/// processes of machines end with it.
#[derive(Clone)]
pub(super) struct Signals {
    is_shown: Arc<AtomicBool>,
    is_stopped: Arc<AtomicBool>,
    groups: ProcessGroups,
}

impl Signals {
    /// Handles signals from now on.
    pub(super) fn handle(groups: ProcessGroups) -> anyhow::Result<Signals> {
        let signals = Signals { is_shown: Arc::default(), is_stopped: Arc::default(), groups };
        let handler = signals.clone();
        ctrlc::set_handler(move || {
            if handler.is_shown.load(Ordering::Relaxed) {
                handler.is_stopped.store(true, Ordering::Relaxed);
                // Reading events from a terminal that was closed never returns.
                thread::sleep(GRACE);
                leave();
            }
            handler.end_process();
        })?;
        Ok(signals)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn end_process(&self) -> ! {
        self.groups.kill();
        std::process::exit(Exit::Interrupted as i32)
    }
}

/// Whether there is a terminal that has a screen. Fails when there is none, with what to do instead.
pub(super) fn check() -> anyhow::Result<()> {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if is_dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!("explore needs a terminal; --html FILE writes a page instead");
    }
    Ok(())
}

/// Shows runs until they are left.
pub(super) fn run(shown: &mut ShownRuns, signals: &Signals) -> anyhow::Result<()> {
    let paint = |shown: &mut ShownRuns, frame: &mut Frame<'_>| shown.paint(frame);
    show(shown, signals, paint, |shown, event, terminal| {
        let flow = react(shown, event, terminal, &signals.is_stopped)?;
        shown.take_copied().map_or(Ok(()), |text| copy(&text))?;
        Ok((flow == ExplorerFlow::Quit).then_some(()))
    })
}

/// Lets the user pick one of several cases; `None` if the user wants none.
pub(super) fn pick(picker: &mut CasePicker, signals: &Signals) -> anyhow::Result<Option<usize>> {
    show(picker, signals, screen::paint_picker, |picker, event, _| {
        Ok(match picked(picker, event) {
            PickReaction::Stay => None,
            PickReaction::Leave => Some(None),
            PickReaction::Open(index) => Some(Some(index)),
        })
    })
}

/// Paints something and lets it react to events until that has a result; a signal ends the process before.
fn show<S, T>(
    shown: &mut S,
    signals: &Signals,
    paint: fn(&mut S, &mut Frame<'_>),
    mut react: impl FnMut(&mut S, &Event, &ScreenTerminal) -> anyhow::Result<Option<T>>,
) -> anyhow::Result<T> {
    check()?;
    signals.is_shown.store(true, Ordering::Relaxed);
    let screen = AlternateScreen::enter()?;
    let mut terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
    terminal.draw(|frame| paint(shown, frame))?;
    while !signals.is_stopped() {
        // Nothing changes without an event, also not the size.
        if !event::poll(PAUSE)? {
            continue;
        }
        if let Some(result) = react(shown, &event::read()?, &terminal)? {
            return Ok(result);
        }
        terminal.draw(|frame| paint(shown, frame))?;
    }
    drop(screen);
    signals.end_process()
}

fn picked(picker: &mut CasePicker, event: &Event) -> PickReaction {
    match event {
        Event::Key(pressed) if pressed.kind != KeyEventKind::Release => match key(*pressed) {
            Some(key) => picker.press(key),
            None if is_interrupt(*pressed) => PickReaction::Leave,
            None => PickReaction::Stay,
        },
        Event::Mouse(mouse) => wheel_key(*mouse).map_or(PickReaction::Stay, |key| picker.press(key)),
        _ => PickReaction::Stay,
    }
}

/// Asks the terminal to put a text into the clipboard. Terminals that cannot, or may not, ignore it.
fn copy(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    write!(out, "\x1b]52;c;{}\x07", BASE64_STANDARD.encode(text))?;
    out.flush()
}

/// The other screen of the terminal, in which keys are read one by one. Dropping it, or a panic, ends that.
struct AlternateScreen;

impl AlternateScreen {
    fn enter() -> io::Result<AlternateScreen> {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            print(panic);
        }));
        terminal::enable_raw_mode()?;
        let screen = AlternateScreen;
        execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)?;
        // The first call listens for signals: a size that changes after the first frame must not be missed.
        event::poll(Duration::ZERO)?;
        Ok(screen)
    }
}

impl Drop for AlternateScreen {
    fn drop(&mut self) {
        leave();
    }
}

fn leave() {
    // If the terminal is closed, there is nothing to restore.
    let _ =
        execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, ratatui::crossterm::cursor::Show);
    let _ = terminal::disable_raw_mode();
}

fn react(
    shown: &mut ShownRuns,
    event: &Event,
    terminal: &ScreenTerminal,
    is_stopped: &AtomicBool,
) -> anyhow::Result<ExplorerFlow> {
    // Any key ends a search.
    let mut keep_going =
        |_| !is_stopped.load(Ordering::Relaxed) && !event::poll(Duration::ZERO).unwrap_or(true);
    Ok(match event {
        Event::Key(pressed) if pressed.kind != KeyEventKind::Release => match key(*pressed) {
            Some(key) => shown.press(key, &mut keep_going),
            None if is_interrupt(*pressed) => ExplorerFlow::Quit,
            None => ExplorerFlow::Continue,
        },
        Event::Mouse(mouse) => {
            let area = terminal.size()?.into();
            match shown {
                ShownRuns::One(explorer) => point(explorer, *mouse, area, &mut keep_going),
                ShownRuns::Two(pair) => point_in_pair(pair, *mouse, area, &mut keep_going),
            }
            ExplorerFlow::Continue
        }
        _ => ExplorerFlow::Continue,
    })
}

/// A click selects a line or goes to a place of the time line, a click with the right button steps back, the wheel
/// selects lines.
fn point(
    explorer: &mut Explorer,
    mouse: MouseEvent,
    area: ratatui::layout::Rect,
    keep_going: &mut dyn FnMut(u64) -> bool,
) {
    if explorer.is_covered() {
        if let Some(key) = wheel_key(mouse) {
            explorer.press(key, keep_going);
        }
        return;
    }
    let place = Position { x: mouse.column, y: mouse.row };
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => {
            if let Some((pane, line)) = screen::line_at(explorer, area, place) {
                explorer.click(pane, line);
            } else if let Some(step) = screen::time_at(explorer, area, place) {
                explorer.go_to_step(step);
            }
        }
        MouseEventKind::Down(MouseButton::Right) => explorer.perform(ExplorerCommand::Back, keep_going),
        MouseEventKind::ScrollUp => explorer.perform(ExplorerCommand::Up, keep_going),
        MouseEventKind::ScrollDown => explorer.perform(ExplorerCommand::Down, keep_going),
        _ => {}
    }
}

/// The key that the wheel stands for, in what is shown over the panes.
fn wheel_key(mouse: MouseEvent) -> Option<ExplorerKey> {
    match mouse.kind {
        MouseEventKind::ScrollUp => Some(ExplorerKey::Up),
        MouseEventKind::ScrollDown => Some(ExplorerKey::Down),
        _ => None,
    }
}

/// The same with two runs.
fn point_in_pair(
    pair: &mut PairedExplorer,
    mouse: MouseEvent,
    area: ratatui::layout::Rect,
    keep_going: &mut dyn FnMut(u64) -> bool,
) {
    let place = Position { x: mouse.column, y: mouse.row };
    let key = match mouse.kind {
        MouseEventKind::Down(_) if pair.is_covered() => return,
        MouseEventKind::Down(MouseButton::Left) => {
            if let Some((side, pane, line)) = screen::line_of_pair_at(pair, area, place) {
                pair.click(side, pane, line);
            }
            return;
        }
        MouseEventKind::Down(MouseButton::Right) => ExplorerKey::Left,
        _ => match wheel_key(mouse) {
            Some(key) => key,
            None => return,
        },
    };
    pair.press(key, keep_going);
}

fn is_interrupt(pressed: KeyEvent) -> bool {
    pressed.code == KeyCode::Char('c') && pressed.modifiers.contains(KeyModifiers::CONTROL)
}

/// The key that was pressed; `None` for one that the explorer does not know, so that it does not close the help.
fn key(pressed: KeyEvent) -> Option<ExplorerKey> {
    use KeyCode::{Backspace, Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab, Up};
    let is_moving = matches!(pressed.code, Up | Down | Left | Right | PageUp | PageDown | Home | End | Tab);
    let is_known = is_moving || matches!(pressed.code, Char(_) | Enter | Esc | Backspace);
    let is_plain = !pressed.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    (is_known && is_plain).then_some(pressed.code)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::process::{Command, Stdio};
    use std::{env, fs};

    use super::*;

    /// Set for the process that panics.
    const PANICS: &str = "VMCONF_TEST_PANICS";

    /// Says why a test is skipped where `.ci/run` looks: a passing test shows nothing.
    fn skip(test: &str, why: &str) {
        let build = env::current_exe().unwrap();
        let folder = build.ancestors().nth(3).unwrap().join("tmp/skipped");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(test), format!("skipped: {test}: {why}\n")).unwrap();
    }

    /// Runs itself in a terminal, which `script` of util-linux provides, to panic there.
    #[test]
    fn a_panic_leaves_the_terminal_as_it_was() {
        if env::var_os(PANICS).is_some() {
            let _screen = AlternateScreen::enter().unwrap();
            assert!(terminal::is_raw_mode_enabled().unwrap());
            panic!("in the explorer");
        }
        let has_script = Command::new("script").arg("--version").output().is_ok_and(|it| it.status.success());
        if !cfg!(target_os = "linux") || !has_script {
            skip("a_panic_leaves_the_terminal_as_it_was", "no script command is installed");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let program = format!(
            "stty -g > {}; '{}' --exact --nocapture {}::a_panic_leaves_the_terminal_as_it_was; stty -g > {}",
            file("before").display(),
            env::current_exe().unwrap().display(),
            module_path!().split_once("::").unwrap().1,
            file("after").display(),
        );
        let mut script = Command::new("script");
        script
            .args(["-qec", &program])
            .arg(file("log"))
            .env(PANICS, "1")
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh");
        script.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        let read = |name: &str| String::from_utf8_lossy(&fs::read(file(name)).unwrap()).into_owned();
        let written = read("log");
        let place = |text: &str| written.find(text).unwrap_or_else(|| panic!("no {text:?} in {written:?}"));
        // The message is on the screen that stays.
        let (enters, leaves) = (place("\u{1b}[?1049h"), place("\u{1b}[?1049l"));
        assert!(enters < leaves && leaves < place("in the explorer"), "{written:?}");
        assert!(place("\u{1b}[?1000h") < place("\u{1b}[?1000l"), "the mouse");
        assert_eq!(read("before"), read("after"));
    }
}
