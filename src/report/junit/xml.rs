//! Parts of JUnit XML, which the library writes only as a whole.

use std::io;

use quick_junit::{Report as Suites, TestSuite};

/// A report without suites.
pub(super) fn empty() -> Suites {
    Suites::new("vmconf")
}

/// A report with only this suite.
pub(super) fn with_suite(suite: TestSuite) -> Suites {
    let mut alone = empty();
    // Not `add_test_suite`: it counts the cases, which may be elsewhere.
    alone.test_suites.push(suite);
    alone
}

/// The XML of a report in three parts: the text before the content of the only element with this name, the
/// content, and the text after it. The library can only write whole reports, which would have to be in
/// memory.
pub(super) fn parts(report: &Suites, element: &str) -> io::Result<[String; 3]> {
    let text = report.to_string().map_err(io::Error::other)?;
    // Text from a vector in a start tag is escaped, so it contains no `>`.
    let head = text.find(&format!("<{element} "));
    let head = head.and_then(|start| Some(start + text[start..].find('>')? + 1));
    let end = text.rfind(&format!("</{element}>")).map(|end| text[..end].trim_end().len());
    let (head, end) = head
        .zip(end)
        .filter(|(head, end)| head <= end)
        .ok_or_else(|| io::Error::other("unknown form of JUnit XML"))?;
    Ok([&text[..head], &text[head..end], &text[end..]].map(str::to_owned))
}
