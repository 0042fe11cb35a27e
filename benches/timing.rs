//! Two sides measured in turns.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// A sample is made at least this long by repetition: below, the clock and a single interrupt
/// would show.
const SHORTEST_SAMPLE: Duration = Duration::from_millis(20);

/// The median time of one call of each side, in seconds.
pub(crate) fn medians(rounds: NonZeroUsize, mut ours: impl FnMut(), mut peers: impl FnMut()) -> (f64, f64) {
    let (our_repeats, peer_repeats) = (repeats(&mut ours), repeats(&mut peers));
    let round = |_| (sample(our_repeats, &mut ours), sample(peer_repeats, &mut peers));
    let (ours, peers) = (0..rounds.get()).map(round).unzip();
    (median(ours), median(peers))
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
    while sample(repeats, call) * f64::from(repeats) < SHORTEST_SAMPLE.as_secs_f64() {
        repeats *= 2;
    }
    repeats
}

/// The time of one call, in seconds.
fn sample(repeats: u32, call: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        call();
    }
    start.elapsed().as_secs_f64() / f64::from(repeats)
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// The mean of ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> f64 {
    let add = |(sum, count), ratio: &f64| (sum + ratio.ln(), count + 1.0);
    let (sum, count) = ratios.iter().fold((0.0, 0.0), add);
    (sum / count).exp()
}
