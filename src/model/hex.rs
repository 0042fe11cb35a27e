//! Hex digits to bytes, and bytes to the keys of records.

/// The bytes that hex digits encode: an even number of digits, upper or lower case, and nothing else.
pub fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![0; digits.len() / 2];
    hex_to_slice(digits, &mut bytes).map(|()| bytes)
}

/// Like [`hex_bytes`], for exactly as many bytes as fit in `bytes`.
pub fn hex_to_slice(digits: &str, bytes: &mut [u8]) -> Option<()> {
    // The library strips a `0x` prefix, but the callers decide whether one is allowed.
    if matches!(digits.as_bytes(), [_, b'x' | b'X', ..]) {
        return None;
    }
    hex::decode_to_slice(digits, bytes).ok()
}

/// How bytes are written as a key of a record: all of them in hex.
pub fn bytes_key(bytes: &[u8]) -> String {
    hex::encode_prefixed(bytes)
}

/// Appends the number in hex digits, after `0x`.
pub fn push_number(mut number: u64, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [0; 16];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = DIGITS[(number & 0xf) as usize];
        number >>= 4;
        if number == 0 {
            break;
        }
    }
    out.push_str("0x");
    out.push_str(str::from_utf8(&digits[first..]).unwrap_or_default());
}

/// How a number, given by its bytes with the most significant first, is written as a key of a
/// record: in hex without leading zero bytes, but at least one byte.
pub fn number_key(bytes: &[u8]) -> String {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    match &bytes[zeros..] {
        [] => bytes_key(&[0]),
        shortest => bytes_key(shortest),
    }
}
