//! What a difference is about, and how a list of known differences names it.

use std::fmt;
use std::str::FromStr;

use crate::model::is_harmful;
use crate::text::number;

/// What distinguishes a difference from others. Each cause is reported once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FuzzCause {
    /// The name of the machine that differs.
    pub vm: String,
    /// The instruction that made the first wrong value, or the signature of the failure if none is known. Of states,
    /// the first field that differs, and what differing cases have in common: `f with ram at pc 0x04`.
    pub what: String,
}

/// A line of a list of known differences. In the name of the machine, what would end it, end the line or make it a
/// comment is escaped as in Rust: `my\u{20}vm`.
impl fmt::Display for FuzzCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, character) in self.vm.char_indices() {
            let is_start_of_escape = self.vm[at..].starts_with(ESCAPE);
            let is_start_of_comment = at == 0 && character == '#';
            if is_start_of_escape || is_start_of_comment || character.is_whitespace() || is_harmful(character)
            {
                write!(f, "{}", character.escape_unicode())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        write!(f, " {}", self.what)
    }
}

/// The start of an escaped character.
const ESCAPE: &str = r"\u{";

/// Reads a line as it is written.
impl FromStr for FuzzCause {
    type Err = NoFuzzCause;

    fn from_str(line: &str) -> Result<FuzzCause, NoFuzzCause> {
        let (mut name, what) = line.split_once(' ').ok_or(NoFuzzCause)?;
        let mut vm = String::with_capacity(name.len());
        while let Some((before, escape)) = name.split_once(ESCAPE) {
            vm.push_str(before);
            let escaped = escape.split_once('}').and_then(|(digits, after)| {
                let number = u32::try_from(number::hex(digits)?).ok()?;
                Some((char::from_u32(number)?, after))
            });
            name = if let Some((character, after)) = escaped {
                vm.push(character);
                after
            } else {
                vm.push_str(ESCAPE);
                escape
            };
        }
        vm.push_str(name);
        Ok(FuzzCause { vm, what: what.to_owned() })
    }
}

/// A line that is no known difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected the name of a machine, a space and a cause")]
pub struct NoFuzzCause;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_difference_is_read_as_it_is_written() {
        for (vm, line) in [
            ("mine", "mine MOD of two"),
            ("my vm", r"my\u{20}vm MOD of two"),
            ("#1", r"\u{23}1 MOD of two"),
            ("a#\nb", r"a#\u{a}b MOD of two"),
            (r"a\u{20}\n", r"a\u{5c}u{20}\n MOD of two"),
        ] {
            let cause = FuzzCause { vm: vm.to_owned(), what: "MOD of two".to_owned() };
            assert_eq!(cause.to_string(), line);
            assert_eq!(line.parse(), Ok(cause));
        }
    }

    #[test]
    fn known_differences_of_older_lists_are_read() {
        for vm in [r"a\b", r"\u{", r"\u{x}", r"\u{110000}", "a=b'"] {
            let cause = FuzzCause { vm: vm.to_owned(), what: "MOD".to_owned() };
            assert_eq!(format!("{vm} MOD").parse(), Ok(cause));
        }
        assert_eq!("mine".parse::<FuzzCause>(), Err(NoFuzzCause));
    }
}
