//! Two sides measured in turns, by the CPU time of this process and of those that it started: what else the computer
//! does does not count, but for the caches and the clock rate that it takes away. Of several rounds the fastest one
//! counts for the same reason.

use std::num::NonZeroUsize;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rustix::time::{ClockId, clock_gettime};

/// A sample is made at least this long by repetition, in seconds: below, the clock and a single interrupt would show.
const SHORTEST_SAMPLE: f64 = 0.02;

/// Two sides beside each other.
pub(crate) struct Compared {
    /// The least time of one call of each, in seconds.
    pub(crate) ours: f64,
    pub(crate) peers: f64,
    /// The least and the most time of the peer, in times of ours, of a single round.
    pub(crate) spread: [f64; 2],
}

impl Compared {
    /// The time of the peer in times of ours.
    pub(crate) fn ratio(&self) -> f64 {
        self.peers / self.ours
    }

    /// The ratios of single rounds: `2.31-2.52`.
    pub(crate) fn spread(&self) -> String {
        self.spread.map(|ratio| format!("{ratio:.2}")).join("-")
    }

    /// The time of ours in times of the peer, of single rounds.
    pub(crate) fn inverse_spread(&self) -> String {
        let [least, most] = self.spread;
        [most, least].map(|ratio| format!("{:.2}", 1.0 / ratio)).join("-")
    }
}

/// Measures both sides in turns.
pub(crate) fn compare(rounds: NonZeroUsize, mut ours: impl FnMut(), mut peers: impl FnMut()) -> Compared {
    let (our_repeats, peer_repeats) = (repeats(&mut ours), repeats(&mut peers));
    let mut compared = Compared { ours: f64::INFINITY, peers: f64::INFINITY, spread: [f64::INFINITY, 0.0] };
    for _ in 0..rounds.get() {
        let (ours, peers) = (sample(our_repeats, &mut ours), sample(peer_repeats, &mut peers));
        let [least, most] = compared.spread;
        compared = Compared {
            ours: compared.ours.min(ours),
            peers: compared.peers.min(peers),
            spread: [least.min(peers / ours), most.max(peers / ours)],
        };
    }
    compared
}

/// The shortest time of a call in seconds; what it works on is made before.
pub(crate) fn shortest<T>(rounds: NonZeroUsize, make: impl Fn() -> T, call: impl Fn(&mut T)) -> f64 {
    let round = |_| {
        let mut made = make();
        sample(1, &mut || call(&mut made))
    };
    (0..rounds.get()).map(round).fold(f64::INFINITY, f64::min)
}

/// How many calls make a sample that is long enough.
fn repeats(call: &mut impl FnMut()) -> u32 {
    let mut repeats = 1;
    while sample(repeats, call) * f64::from(repeats) < SHORTEST_SAMPLE {
        repeats *= 2;
    }
    repeats
}

/// The time of one call, in seconds.
fn sample(repeats: u32, call: &mut impl FnMut()) -> f64 {
    let start = cpu_time();
    for _ in 0..repeats {
        call();
    }
    (cpu_time() - start) / f64::from(repeats)
}

/// The CPU time of all threads of this process, and of the processes that it started and that have ended, in seconds.
pub(crate) fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let children = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the usage of processes that ended");
    let children = (children.user_time() + children.system_time()).num_microseconds();
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9 + children as f64 * 1e-6
}

/// The CPU time of this process and of those that it started and that run, in seconds. Linux says the latter in ticks.
pub(crate) fn cpu_time_of_all() -> anyhow::Result<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    let own = std::process::id().to_string();
    let mut ticks = 0;
    for entry in std::fs::read_dir("/proc")?.flatten() {
        // A process may have ended in between.
        let Ok(text) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name before may have spaces and parentheses.
        let Some((_, rest)) = text.rsplit_once(')') else { continue };
        let fields: Vec<_> = rest.split_whitespace().collect();
        if fields.get(1) == Some(&&*own) {
            let time = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
            ticks += time(11).unwrap_or_default() + time(12).unwrap_or_default();
        }
    }
    Ok(cpu_time() + ticks as f64 / TICKS_A_SECOND)
}

/// The mean of ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    let add = |(sum, count), ratio: &f64| (sum + ratio.ln(), count + 1.0);
    let (sum, count) = ratios.iter().fold((0.0, 0.0), add);
    (sum / count).exp()
}
