use super::nearest;

#[test]
fn only_similar_names_are_suggested() {
    let known = ["expect", "name", "steps", "pc"];
    assert_eq!(nearest("expct", known), Some("expect"));
    assert_eq!(nearest("STEPS", known), Some("steps"));
    assert_eq!(nearest("PC", known), Some("pc"));
    assert_eq!(nearest("pd", known), None);
    assert_eq!(nearest("PUSH1O", ["PUSH1", "PUSH10"]), Some("PUSH10"));
    assert_eq!(nearest("instructions", known), None);
    assert_eq!(nearest(&"e".repeat(100_000), known), None);
}
