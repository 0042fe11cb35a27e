//! The text of a cache, and the sample that is verified.

use crate::support::config;
use proptest::prelude::*;
use vmconf::model::CaseId;
use vmconf::run::cache::{CacheLookup, CacheUpdate, FileKey, ProgramKey, ResultCache, VerifiedSample};

proptest! {
    #![proptest_config(config(64))]

    /// By any seed, the sample is as large as it should be, within six standard deviations.
    #[test]
    fn a_sample_has_its_size(seed: u64, percent in 0.0..=100.0_f64) {
        const CASES: u32 = 4000;
        let share = format!("{percent}%").parse().unwrap();
        let key = FileKey::new("", &"");
        let program = || ProgramKey::of(&b""[..]).unwrap();
        let first = ResultCache::new(program(), None);
        (0..CASES).for_each(|datum| first.update(&key, CacheUpdate::Passes(datum)));
        let mut cache = ResultCache::new(program(), Some(VerifiedSample { share, seed }));
        cache.read(&first.text().unwrap()).unwrap();
        let id = |nth| CaseId { file: "a.json".into(), name: Some("name".into()), nth };
        let tested = (0..CASES).filter(|datum| cache.look_up(&key, *datum, &id(*datum)) == CacheLookup::Verify);
        let (tested, share) = (f64::from(u32::try_from(tested.count()).unwrap()), percent / 100.0);
        let deviation = (f64::from(CASES) * share * (1.0 - share)).sqrt();
        prop_assert!((tested - f64::from(CASES) * share).abs() <= 6.0 * deviation + 1.0, "{} tested", tested);
        prop_assert_eq!(cache.look_up(&key, CASES, &id(0)), CacheLookup::Miss);
        prop_assert_eq!(cache.look_up(&FileKey::new(" ", &""), 0, &id(0)), CacheLookup::Miss);
    }

    /// A file of answers with one byte that is another, or cut off, has no answers.
    #[test]
    fn a_damaged_text_adds_no_results(at: prop::sample::Index, byte: u8) {
        let cache = ResultCache::new(ProgramKey::of(&b"one"[..]).unwrap(), None);
        for (datum, text) in [(1, "a"), (7, "b"), (9, "b")] {
            cache.update(&FileKey::new(text, &""), CacheUpdate::Passes(datum));
        }
        let text = cache.text().unwrap();
        let at = at.index(text.len());
        let mut damaged = text.clone().into_bytes();
        damaged[at] = byte;
        let read = |text: &str| ResultCache::new(ProgramKey::of(&b"one"[..]).unwrap(), None).read(text);
        prop_assert_eq!(read(&text), Ok(()));
        prop_assert!(read(&text[..at]).is_err());
        let damaged = String::from_utf8_lossy(&damaged);
        prop_assert!(damaged == text || read(&damaged).is_err());
        prop_assert!(ResultCache::new(ProgramKey::of(&b"two"[..]).unwrap(), None).read(&text).is_err());
    }
}

/// A text with a correct checksum that vmconf never writes.
#[test]
fn a_text_is_read_strictly() {
    fn check(lines: &str, says: Option<&str>) {
        let program = ProgramKey::of(&b""[..]).unwrap();
        let text = format!("vmconf answers 2 {program} {}\n{lines}", blake3::hash(lines.as_bytes()));
        let read = ResultCache::new(program, None).read(&text);
        match says {
            None => assert_eq!(read, Ok(())),
            Some(says) => assert!(read.as_ref().is_err_and(|why| why.starts_with(says)), "{read:?}"),
        }
    }
    check("", None);
    check("{\"key\":\"a\",\"passed\":[1,2]}\n", None);
    check(
        "{\"key\":\"a\",\"passed\":[1]}\n{\"key\":\"b\",\"passed\":[2,1]}\n",
        Some("line 3: the numbers are"),
    );
    check("{\"key\":\"a\",\"passed\":[-1]}\n", Some("line 2: "));
    check("{\"key\":\"a\",\"passed\":[4294967296]}\n", Some("line 2: "));
    check("{\"key\":\"a\",\"passed\":[],\"more\":1}\n", Some("line 2: unknown field"));
    check("{\"key\":\"a\",\"passed\":[],\"executes\":{\"ADD\":{\"7\":true}}}\n", None);
    check("{\"key\":\"a\",\"passed\":[],\"executes\":{\"ADD\":{\"x\":true}}}\n", Some("line 2: "));
    check("{\"key\":\"a\"}\n", Some("line 2: missing field"));
    check("\n", Some("line 2: "));
    check(&"[".repeat(100_000), Some("line 2: "));
}
