use super::{BLOCK, BOM, LineIndex, Position, counted};

/// Line, column and column in UTF-16, found by scanning all characters before the byte.
fn naive(text: &str, at: usize) -> (u32, u32, u32) {
    let (mut line, mut column, mut utf16) = (1, 1, 1);
    for (_, character) in text.char_indices().filter(|it| it.0 < at && *it != (0, BOM)) {
        (line, column, utf16) = match character {
            '\n' => (line + 1, 1, 1),
            other => (line, column + 1, utf16 + other.len_utf16() as u32),
        };
    }
    (line, column, utf16)
}

fn indexed(index: &LineIndex, text: &str, at: usize) -> (u32, u32, u32) {
    let position = index.position(text, at);
    (position.line, position.column, index.column_utf16(text, at))
}

#[test]
fn positions_equal_a_count_from_the_start() {
    let long_line = "x\u{e4}\u{1d11e}\u{20ac}".repeat(BLOCK / 3);
    let texts = [
        String::new(),
        "ab\r\ncd\n".to_owned(),
        "\u{feff}a\nb\u{e4}\u{1d11e}c\r\n\n  x".to_owned(),
        format!("\u{feff}{long_line}\n{long_line}"),
        "y".repeat(BLOCK),
        "\n".repeat(2 * BLOCK),
    ];
    for text in texts {
        let index = LineIndex::new(&text);
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(indexed(&index, &text, at), naive(&text, at), "byte {at} of {}", text.len());
            let near = (at < BLOCK).then(|| index.position(&text, at));
            assert_eq!(LineIndex::position_near_start(&text, at), near, "byte {at} of {}", text.len());
            let back = index.byte(&text, index.position(&text, at));
            // A byte order mark does not count as a column.
            let first = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
            assert_eq!(back, Some(at.max(first)), "byte {at} of {}", text.len());
        }
        assert_eq!(indexed(&index, &text, text.len() + 9), naive(&text, text.len()), "beyond the end");
    }
}

#[test]
fn columns_count_characters() {
    fn check(text: &str, at: usize, expected: (u32, u32, u32)) {
        assert_eq!(indexed(&LineIndex::new(text), text, at), expected, "{at} in {text:?}");
    }
    check("", 0, (1, 1, 1));
    check("ab\ncd", 2, (1, 3, 3));
    check("ab\ncd", 3, (2, 1, 1));
    check("ab\ncd\n", 6, (3, 1, 1));
    check("ab\r\ncd", 1, (1, 2, 2));
    check("\u{e4}\u{1f980}x", 6, (1, 3, 4));
    check("\u{feff}ab", 4, (1, 2, 2));
    check("ab", 99, (1, 3, 3));
}

#[test]
fn a_place_that_is_not_in_the_text_has_no_byte() {
    let text = format!("ab\n\n{}\nc", "x".repeat(2 * BLOCK));
    let index = LineIndex::new(&text);
    let byte = |line, column| index.byte(&text, Position { line, column });
    assert_eq!((byte(1, 3), byte(1, 4), byte(2, 1), byte(2, 2)), (Some(2), None, Some(3), None));
    assert_eq!((byte(3, 1 + 2 * BLOCK as u32), byte(3, 2 + 2 * BLOCK as u32)), (Some(4 + 2 * BLOCK), None));
    assert_eq!((byte(4, 2), byte(4, 3), byte(5, 1)), (Some(text.len()), None, None));
    assert_eq!((byte(0, 1), byte(1, 0), byte(u32::MAX, u32::MAX)), (None, None, None));
}

#[test]
fn a_look_up_reads_less_than_a_block_wherever_it_is() {
    const LOOKUPS: usize = 100_000;
    let in_one_line = "{\"key\": \"\u{e4}\", \"other\": 1}, ".repeat(LOOKUPS);
    let in_many_lines = in_one_line.replace(", ", ",\n");
    for text in [in_one_line, in_many_lines] {
        let index = LineIndex::new(&text);
        assert_eq!(index.marks.len(), text.len() / BLOCK + 1);
        let steps: usize = (0..LOOKUPS).map(|nth| counted(&text, text.len() / LOOKUPS * nth).len()).sum();
        assert!(steps < LOOKUPS * BLOCK, "{steps} bytes for {LOOKUPS} look-ups");
    }
}
