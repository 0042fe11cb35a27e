//! The public folder layout of driver cases: `tests/testcases.json` lists pairs of a testee in the parent
//! folder and a driver in the same folder as the list.

use std::collections::{BTreeSet, HashSet};

use super::reader::{MACHINE, STEPS, TinyReader};
use super::segment::SegmentKind;
use crate::formats::fields::{Diagnostics, array};
use crate::formats::files::{Unreadable, VectorFolder};
use crate::formats::format::{Evidence, FileEntry, Format, ReadContext};
use crate::formats::write_back::NotRepresentable;
use crate::model::rule::LintRule;
use crate::model::{Case, Diagnostic, Origin, Path, Severity, Value};
use crate::text::json::{JsonNode, quoted};

/// The layout's entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "testcases",
    machine: MACHINE,
    looks_like: "a file testcases.json with an array of pairs of names",
    distinguished_by: "an array in a file testcases.json",
    file_name: Some("testcases.json"),
    evidence: &evidence,
    outline: &outline,
    read: &read_pair,
    rest: &read_rest,
    write_back: &|_| Err(NotRepresentable::because("a list of names has no place for an expectation")),
    outcomes: super::expect::outcomes,
    unknown: Severity::Error,
    folders: &[VectorFolder::Own, VectorFolder::Above],
    ..Format::BASE
};

const PAIR: &str = "an array of two names, a testee and a driver";

/// Any array: in a file with this name, an array of anything but pairs is malformed.
fn evidence(file: JsonNode<'_>) -> Option<Evidence> {
    file.is_array().then_some(Evidence { at: file.at(), what: "an array in a file testcases.json" })
}

fn outline(file: JsonNode<'_>) -> Result<Vec<FileEntry>, Diagnostic<Origin>> {
    let file = array(file, "the file", "an array of pairs of names")?;
    if file.items().next().is_none() {
        return Err(Diagnostic::at(file.at(), "no pair of testee and driver").expected("one or more"));
    }
    let entry = |(index, pair): (usize, JsonNode<'_>)| {
        let name = match names(pair) {
            Some([testee, driver]) => format!("{} {}", testee.1, driver.1),
            None => format!("pair {}", index + 1),
        };
        FileEntry { name: name.into(), node: pair.index() }
    };
    Ok(file.items().enumerate().map(entry).collect())
}

/// The testee and the driver: the position and the name of each.
fn names(pair: JsonNode<'_>) -> Option<[(JsonNode<'_>, String); 2]> {
    let mut items = pair.items().map(|item| Some((item, item.text()?.into_owned())));
    let names = [items.next()??, items.next()??];
    items.next().is_none().then_some(names)
}

/// Notes the testees and drivers, as segments or sources, that are in no pair.
fn read_rest(file: JsonNode<'_>, _: &[FileEntry], context: ReadContext<'_>, diagnostics: &mut Diagnostics) {
    let pairs: Vec<_> = file.items().filter_map(names).collect();
    for (what, folder, index) in [("testee", VectorFolder::Above, 0), ("driver", VectorFolder::Own, 1)] {
        let used: HashSet<&str> = pairs.iter().map(|pair| &*pair[index].1).collect();
        let Ok(files) = context.files.list(folder) else { continue };
        let stem = |file: &String| Some(file.strip_suffix(SegmentKind::of(file)?.extension())?.to_owned());
        let unused: BTreeSet<_> =
            files.iter().filter_map(stem).filter(|name| !used.contains(&**name)).collect();
        for name in unused {
            let what = format!("{what} {} is in no pair", quoted(&name));
            diagnostics.note(Diagnostic::at(file.at(), what).under(LintRule::UnusedFile));
        }
    }
}

fn read_pair(pair: JsonNode<'_>, context: ReadContext<'_>, diagnostics: &mut Diagnostics) -> Option<Case> {
    let Some([testee, driver]) = names(pair) else {
        diagnostics.error(Diagnostic::at(pair.at(), "this is not a pair of names").expected(PAIR));
        return None;
    };
    let mut reader = TinyReader::new(context, diagnostics);
    for (machine, folder, (node, name)) in
        [("driver", VectorFolder::Own, driver), ("testee", VectorFolder::Above, testee)]
    {
        let segment = reader.named_segment(folder, node, &name);
        let at = Path::field(machine).child("instructions");
        reader.places.push((at, Origin(node.at())));
        let record = segment.map(|segment| Value::record([("instructions", segment)]));
        reader.push(machine, record);
    }
    reader.push("budget", Some(Value::int(STEPS)));
    reader.push("zeroLimit", Some(Value::text("fatal")));
    let steps = reader.run_of_driver(None, pair.at());
    Some(reader.case(steps))
}

impl TinyReader<'_> {
    /// The `.segment` file with this name, or else the `.asm` file.
    fn named_segment(&mut self, folder: VectorFolder, node: JsonNode<'_>, name: &str) -> Option<Value> {
        let read =
            |kind: SegmentKind| kind.read(self.context.files, folder, &format!("{name}{}", kind.extension()));
        let segment = read(SegmentKind::Segment);
        let source = read(SegmentKind::Source);
        let wrong = |kind: SegmentKind, why: &Unreadable| {
            let file = format!("{name}{}", kind.extension());
            Diagnostic::at(node.at(), format!("file {}: {why}", quoted(&file))).under(LintRule::NamedFile)
        };
        match (segment, source) {
            (Ok(segment), source) => {
                if source != Err(Unreadable::Missing) {
                    let file = quoted(&format!("{name}.segment"));
                    let what = format!("there is a source too, and file {file} is used");
                    self.diagnostics.caution(Diagnostic::at(node.at(), what).under(LintRule::NamedFile));
                }
                Some(segment)
            }
            (Err(Unreadable::Missing), Ok(source)) => Some(source),
            (Err(Unreadable::Missing), Err(Unreadable::Missing)) => {
                let what = format!("there is neither a .segment nor an .asm file named {}", quoted(name));
                self.diagnostics.error(Diagnostic::at(node.at(), what).under(LintRule::NamedFile));
                None
            }
            (Err(Unreadable::Missing), Err(why)) => {
                self.diagnostics.error(wrong(SegmentKind::Source, &why));
                None
            }
            (Err(why), _) => {
                self.diagnostics.error(wrong(SegmentKind::Segment, &why));
                None
            }
        }
    }
}
