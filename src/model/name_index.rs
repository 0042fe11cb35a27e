//! A small index of a list of names: a few bits of each tell most names apart without comparing them.

/// How many marks there are.
const MARKS: usize = 64;

/// Where each name of a list is. Most names of a machine have a mark of their own, so that few are compared with one
/// that is sought, in whatever order they are sought.
#[derive(Debug)]
pub struct NameIndex {
    /// The first name with each mark.
    first: [Option<u32>; MARKS],
    /// The next name with the same mark, for each name.
    next: Vec<Option<u32>>,
}

impl NameIndex {
    /// The index of these names.
    pub fn new<'n>(names: impl DoubleEndedIterator<Item = &'n str> + ExactSizeIterator) -> NameIndex {
        let mut index = NameIndex { first: [None; MARKS], next: vec![None; names.len()] };
        for (number, name) in names.enumerate().rev() {
            let first = &mut index.first[mark(name)];
            index.next[number] = first.replace(number as u32);
        }
        index
    }

    /// The number of a name in the list, from 0. `name_at` is the name with a number.
    pub fn find<'n>(&self, name: &str, name_at: impl Fn(usize) -> &'n str) -> Option<usize> {
        let mut next = self.first[mark(name)];
        while let Some(number) = next {
            if name_at(number as usize) == name {
                return Some(number as usize);
            }
            next = self.next[number as usize];
        }
        None
    }
}

/// Marks of names, to see whether one may have been there before.
#[derive(Debug, Default)]
pub struct NameMarks(u64);

impl NameMarks {
    /// Adds the mark of a name. Returns whether a name with this mark was there before.
    pub fn add(&mut self, name: &str) -> bool {
        let mark = 1 << mark(name);
        let is_known = self.0 & mark != 0;
        self.0 |= mark;
        is_known
    }
}

/// Names of registers differ in their first byte, their last one or their length.
fn mark(name: &str) -> usize {
    let byte = |byte: Option<&u8>| byte.copied().map_or(0, usize::from);
    let bytes = name.as_bytes();
    (byte(bytes.first()) * 5 + byte(bytes.last()) + bytes.len() * 17) % MARKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found() {
        let names = ["pc", "a", "af", "af_", "iff1", "iff2", "aaf", "", "ä", "a"];
        let index = NameIndex::new(names.into_iter());
        let find = |name| index.find(name, |number| names[number]);
        for (number, name) in names[..9].iter().enumerate() {
            assert_eq!(find(name), Some(number), "{name}");
        }
        assert_eq!(["b", "iff3", "abf", "pcc"].map(find), [None; 4]);
    }

    #[test]
    fn a_name_that_was_there_is_not_new() {
        let mut marks = NameMarks::default();
        assert!(!marks.add("pc"));
        assert!(!marks.add("sp"));
        assert!(marks.add("pc"));
    }

    #[test]
    fn an_empty_list_has_no_name() {
        assert_eq!(NameIndex::new([].into_iter()).find("a", |_| "a"), None);
    }
}
