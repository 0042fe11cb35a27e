use super::*;

fn program() -> ProgramKey {
    ProgramKey::of(&b"program"[..]).expect("a key")
}

fn file(text: &str) -> FileKey {
    FileKey::new(text, &"options")
}

fn case(extent: Option<FollowedExtent>) -> ExecutedCase {
    let point = |op, what: &str| (op, what.to_owned());
    let executes = [point("ADD", "executed"), point("ADD", "a: 0"), point("STOP", "executed")].into();
    ExecutedCase { machine: "evm", extent, passes: true, length: 7, executes }
}

fn read(text: &str) -> Result<SpectrumCache, String> {
    let mut cache = SpectrumCache::new(program());
    cache.read(text).map(|()| cache)
}

#[test]
fn written_spectra_are_read_back() {
    let cache = SpectrumCache::new(program());
    cache.add(&file("a"), 17, &case(None));
    cache.add(&file("b"), 1, &case(Some(FollowedExtent::Beginning)));
    let cache = read(&cache.text().expect("new cases")).expect("undamaged");
    assert_eq!(cache.look_up(&file("a"), 17, FollowedExtent::Whole), Some(case(None)));
    assert_eq!(cache.look_up(&file("a"), 17, FollowedExtent::Beginning), Some(case(None)));
    assert_eq!(
        cache.look_up(&file("b"), 1, FollowedExtent::Beginning),
        Some(case(Some(FollowedExtent::Beginning)))
    );
    // Another node, another text, and a case that was not followed to its end are not known.
    assert_eq!(cache.look_up(&file("a"), 18, FollowedExtent::Whole), None);
    assert_eq!(cache.look_up(&file("c"), 17, FollowedExtent::Whole), None);
    assert_eq!(cache.look_up(&file("b"), 1, FollowedExtent::Whole), None);
    assert!(cache.text().is_none(), "nothing was added");
}

#[test]
fn damaged_spectra_are_not_read() {
    let cache = SpectrumCache::new(program());
    cache.add(&file("a"), 17, &case(None));
    let text = cache.text().expect("new cases");
    for at in (0..text.len()).step_by(7) {
        let mut damaged = text.clone().into_bytes();
        damaged[at] ^= 1;
        assert!(String::from_utf8(damaged).map(|text| read(&text)).expect("ASCII").is_err(), "byte {at}");
        assert!(read(&text[..at]).is_err(), "the first {at} bytes");
    }
    let mut other = SpectrumCache::new(ProgramKey::of(&b"other"[..]).expect("a key"));
    assert!(other.read(&text).is_err());
}
