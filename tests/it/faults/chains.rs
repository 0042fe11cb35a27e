//! What is reported of a long chain of instructions, and of a value that is one too many.

use serde_json::json;
use vmconf::explain::explain;
use vmconf::model::explanation::{Answer, Explanation};
use vmconf::run::sources::{Source, SourceOrigin};
use vmconf::run::{self, Options};

use super::{LAST, text};

/// The explanation of a script of N3 that has to leave these numbers.
fn explained(script: &str, stack: &[u64]) -> Explanation {
    let stack: Vec<_> = stack.iter().map(|value| json!({ "type": "Integer", "value": value })).collect();
    let step = json!({ "actions": ["Execute"], "result": { "state": "HALT", "resultStack": stack } });
    let test = json!({ "name": "case", "script": script, "steps": [step] });
    let vector = json!({ "category": "chains", "name": "chains", "tests": [test] });
    let source = Source::new("chains.json".into(), "chains.json".into(), SourceOrigin::Stream);
    let options = Options::default();
    let file = run::open_text(&source, vector.to_string(), &options);
    explain(&file, 0, &options.run, LAST)
}

/// PUSH0, then this number of INC.
fn counted(times: usize) -> String {
    format!("0x10{}40", "9c".repeat(times))
}

#[test]
fn a_chain_is_followed_to_its_beginning() {
    for times in [5, 300, 20_000] {
        let explained = explained(&counted(times), &[1]);
        let Some(Answer::By(blame)) = explained.blames.first() else { panic!("{:?}", explained.blames) };
        let oldest: Vec<_> =
            blame.further.iter().flat_map(|it| &it.oldest).map(|by| by.text.as_str()).collect();
        let left_out = blame.further.as_ref().map(|it| it.left_out);
        let text = text(&explained);
        assert!(
            text.contains("by step 1, 0x00 PUSH0") || text.contains("      step 1, 0x00 PUSH0"),
            "{text}"
        );
        if times > 5 {
            // All instructions are in the chain: the first seven are shown, then the two oldest.
            assert_eq!((left_out, &oldest[..]), (Some(times + 1 - 9), &["PUSH0", "INC"][..]), "{text}");
            assert!(text.contains("more lines"), "{text}");
        }
    }
}

/// PUSH2 PUSH1 PUSH3 DROP leaves two values where one is expected: DROP left the 1.
#[test]
fn a_surplus_value_names_its_writer_and_what_left_it() {
    let explained = explained("0x1211134540", &[2]);
    let Some(Answer::By(blame)) = explained.blames.first() else { panic!("{:?}", explained.blames) };
    assert_eq!(blame.by.text, "PUSH1");
    assert_eq!(blame.left_by.as_ref().map(|by| by.text.as_str()), Some("DROP"));
    assert!(text(&explained).contains("    left by  step 4, 0x03 DROP of Integer 3\n"));
}
