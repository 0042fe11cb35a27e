use super::ShellWords;

#[test]
fn each_word_stays_one_word() {
    let words = ShellWords::from_iter(["a/b.json", "a'b", "", "--strict", "$(x)", "a\u{1b}b"]);
    assert_eq!(words.to_string(), r" a/b.json 'a'\''b' '' --strict '$(x)' 'a\u{1b}b'");
}

#[test]
fn flags_are_left_out_with_their_values() {
    let words = ShellWords::from_iter(["--strict", "--engine", "bytes", "--vm", "mine=x", "--engine"]);
    assert_eq!(words.without(&["--engine"]), ShellWords::from_iter(["--strict", "--vm", "mine=x"]));
}
