//! NeoVM files in which a result is wrong: the place that `vmconf run` names, and what `vmconf bless` writes.

use std::fs;

use tempfile::TempDir;

use crate::support::{Ran, vmconf};

/// A file with one test of one step, which stands in the lines from 2 on.
struct NeoFile {
    folder: TempDir,
    text: String,
}

impl NeoFile {
    fn new(machine: &str, script: &str, step: &str) -> NeoFile {
        let text = format!(
            "{{\"category\": \"c\", \"name\": \"n\", \"machine\": \"{machine}\", \"tests\": [\
             {{\"name\": \"t\", \"script\": {script}, \"steps\": [\n{step}\n]}}]}}"
        );
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("one.json"), &text).unwrap();
        NeoFile { folder, text }
    }

    fn vmconf(&self, args: &[&str]) -> Ran {
        let path = self.folder.path().join("one.json");
        vmconf(&[args, &[path.to_str().unwrap()]].concat())
    }

    fn written(&self) -> String {
        fs::read_to_string(self.folder.path().join("one.json")).unwrap()
    }

    /// Where differences are found, as `line:column: path`.
    fn places(&self) -> Vec<String> {
        let stdout = self.vmconf(&["run"]).stdout;
        let place = |line: &str| {
            let place = line.split_once("one.json:")?.1;
            place.starts_with(|it: char| it.is_ascii_digit()).then(|| place.to_owned())
        };
        stdout.lines().filter_map(place).collect()
    }

    /// Blesses the file, after which it passes and has `new` where it had `old`.
    fn becomes(&self, flags: &[&str], old: &str, new: &str) {
        let ran = self.vmconf(&[&["bless", "--yes"], flags].concat());
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert_eq!(self.written(), self.text.replace(old, new));
        assert_eq!(self.vmconf(&["run"]).exit, 0);
    }
}

/// "Missing/null = must be empty", "absent = 0": what a null means is demanded where it stands, and a null is
/// replaced.
#[test]
fn what_a_null_means_is_demanded_at_the_null() {
    const THREE: &str = "{\"type\": \"Integer\", \"value\": 3}";
    let in_frame = |member: &str, state: &str| {
        format!(
            "{{\"actions\": [\"StepInto\"], \"result\": {{\"state\": \"{state}\", \"invocationStack\": [{{\
             \"nextInstruction\": \"RET\", \"instructionPointer\": 1,\n{member}: null}}]}}}}"
        )
    };
    let check = |machine: &str, script: &str, step: &str, place: &str, value: &str| {
        let file = NeoFile::new(machine, script, step);
        assert_eq!(file.places(), [place], "{step}");
        file.becomes(&["--allow-outcome-change"], "null", value);
    };
    let list = format!("[{THREE}]");
    let end = "{\"actions\": [\"Execute\"], \"result\": {\"state\": \"Halt\",\n\"resultStack\": null}}";
    check("neo2", "\"0x53\"", end, "3:16: resultStack", &list);
    let step = in_frame("\"evaluationStack\"", "Break");
    check("neo2", "\"0x53\"", &step, "3:20: invocationStack[0]/evaluationStack", &list);
    // The frame is after INITSLOT, which has two operands.
    let step = in_frame("\"localVariables\"", "BREAK").replace("\": 1,", "\": 3,");
    let null = "[{\"type\": \"Null\"}]";
    let script = "[\"INITSLOT\", \"0x01\", \"0x00\"]";
    check("neo3", script, &step, "3:19: invocationStack[0]/localVariables", null);
    let step = "{\"actions\": [\"Execute\"], \"result\": {\n\"state\": null}}";
    check("neo3", "[\"PUSH3\"]", step, "3:10: state", "\"HALT\"");
    let step = "{\"actions\": [\"StepInto\"], \"result\": {\"state\": \"BREAK\", \"invocationStack\": [{\
                \"nextInstruction\": \"RET\",\n\"instructionPointer\": null}]}}";
    check("neo3", "[\"NOP\"]", step, "3:23: invocationStack[0]/instructionPointer", "1");
    let step =
        "{\"actions\": [\"StepInto\"], \"result\": {\"state\": \"BREAK\",\n\"invocationStack\": null}}";
    let frame = format!(
        "[{{\"instructionPointer\": 1, \"nextInstruction\": \"RET\", \"evaluationStack\": [{THREE}]}}]"
    );
    check("neo3", "[\"PUSH3\"]", step, "3:20: invocationStack", &frame);
}

/// A null that demands nothing is filled in like a missing member.
#[test]
fn a_null_that_is_not_compared_is_filled_in() {
    let step =
        "{\"actions\": [\"Execute\"], \"result\": {\"state\": null, \"refs\": null, \"resultStack\": null}}";
    let file = NeoFile::new("neo3", "[\"PUSH3\"]", step);
    let filled =
        "{\"state\": \"HALT\", \"refs\": 1, \"resultStack\": [{\"type\": \"Integer\", \"value\": 3}]}";
    file.becomes(&["--fill"], "{\"state\": null, \"refs\": null, \"resultStack\": null}", filled);

    let step = "{\"actions\": [\"Execute\"], \"result\": {\"state\": \"FAULT\", \"exceptionMessage\": null}}";
    let file = NeoFile::new("neo3", "[\"PUSHDATA1\", \"0x02\", \"0x6f6b\", \"ABORTMSG\"]", step);
    assert_eq!(file.vmconf(&["bless", "--yes", "--fill"]).exit, 0);
    let written = file.written();
    assert!(written.contains("\"exceptionMessage\": \"") && written.contains("ok\""), "{written}");
    assert_eq!(written.matches("exceptionMessage").count(), 1, "{written}");
}

/// An item of another type is wrong in its type, not in its value.
#[test]
fn the_place_of_a_wrong_type_is_the_type() {
    let item = |of: &str, value: &str| {
        format!(
            "{{\"actions\": [\"Execute\"], \"result\": {{\"resultStack\": [{{\n\"type\": \"{of}\",\n\
             \"value\": {value}}}], \"state\": \"HALT\"}}}}"
        )
    };
    let script = "[\"PUSHDATA1\", \"0x01\", \"0x61\"]";
    let check = |of: &str, value: &str, place: &str| {
        assert_eq!(NeoFile::new("neo3", script, &item(of, value)).places(), [place], "{of}");
    };
    check("Buffer", "\"0x61\"", "3:9: resultStack[0]");
    check("Integer", "97", "3:9: resultStack[0]");
    check("Array", "[]", "3:9: resultStack[0]");
    check("ByteString", "\"0x62\"", "4:10: resultStack[0]");
    let file = NeoFile::new("neo3", script, &item("Buffer", "\"0x61\""));
    file.becomes(&[], "Buffer", "ByteString");
}

/// "The bytes 0x02..0x4A have none and appear as decimal strings"; both forms are read.
#[test]
fn instructions_of_2x_without_a_name_are_written_in_decimal_digits() {
    let step = |frame: &str| {
        format!(
            "{{\"result\": {{\"state\": \"Break\", \"invocationStack\": [{{{frame}\"altStack\": []}}]}}}}"
        )
    };
    let name = |name: &str| step(&format!("\"nextInstruction\": \"{name}\", "));
    for (script, written) in [
        ("0x01aa", "PUSHBYTES1"),
        ("0x02aabb", "2"),
        ("0x4a", "74"),
        ("0x4b", "PUSHBYTES75"),
        ("0xff", "255"),
        ("0x53", "PUSH3"),
    ] {
        let script = format!("\"{script}\"");
        NeoFile::new("neo2", &script, &name("NOP")).becomes(&[], "NOP", written);
    }
    for read in ["2", "PUSHBYTES2", "pushbytes2"] {
        assert_eq!(NeoFile::new("neo2", "\"0x02aabb\"", &name(read)).vmconf(&["run"]).exit, 0, "{read}");
    }
    for flags in [&["--fill"][..], &[]] {
        // Without frames, a whole one is written.
        let step = if flags.is_empty() { step("").replace("{\"altStack\": []}", "") } else { step("") };
        let file = NeoFile::new("neo2", "\"0x02aabb\"", &step);
        assert_eq!(file.vmconf(&[&["bless", "--yes"], flags].concat()).exit, 0);
        assert!(file.written().contains("\"nextInstruction\": \"2\""), "{}", file.written());
    }
}

/// The keys Integer 0 and the empty ByteString are both written as an empty text, of which an object can have one.
#[test]
fn a_map_whose_keys_cannot_be_written_stays_as_it_is() {
    let script = "[\"NEWMAP\", \"DUP\", \"PUSH0\", \"PUSH2\", \"SETITEM\", \"DUP\", \"PUSHDATA1\", \"0x00\", \
                  \"PUSH5\", \"SETITEM\"]";
    let number = |number: u8| format!("{{\"type\": \"Integer\", \"value\": {number}}}");
    let map = format!("{{\"\": {}, \"\": {}}}", number(2), number(5));
    let step = format!(
        "{{\"actions\": [\"Execute\"], \"result\": {{\"state\": \"HALT\", \"refs\": 0, \"resultStack\": [\
         {{\"type\": \"Map\", \"value\": {map}}}]}}}}"
    );
    let file = NeoFile::new("neo3", script, &step);
    let ran = file.vmconf(&["bless", "--yes", "--leaf", "resultStack"]);
    assert_eq!((ran.exit, file.written()), (1, file.text.clone()), "{ran:?}");
    let why = "the format has no way to write keys that differ in their type alone";
    assert!(ran.stderr.lines().all(|line| line.contains(why) || line.starts_with("  in ")), "{ran:?}");
    assert_eq!(ran.stderr.matches(why).count(), 2, "{ran:?}");
    // The rest of the case is blessed: a Map, and a key and a value for each of its pairs are referred to.
    assert_eq!(file.vmconf(&["bless", "--yes"]).exit, 1);
    assert_eq!(file.written(), file.text.replace("\"refs\": 0", "\"refs\": 5"));
}

/// A member that occurs again with other capitals is known, but only the last one counts.
#[test]
fn a_member_in_another_letter_case_is_repeated() {
    let step = "{\"actions\": [\"Execute\"], \"result\": {\"state\": \"FAULT\",\n\"State\": \"HALT\"}}";
    let file = NeoFile::new("neo3", "[\"PUSH3\"]", step);
    let ran = file.vmconf(&["run"]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let told = ran.stdout + &ran.stderr;
    assert!(told.contains("one.json:2:37: member \"state\" occurs again with other capitals"), "{told}");
    assert!(!told.contains("unknown"), "{told}");
}

/// The hash of a script, the RIPEMD-160 of its SHA-256, keeps its notation: 40 hex digits could also be base64.
#[test]
fn a_hash_without_a_prefix_stays_hex() {
    let step = |hash: &str| {
        format!(
            "{{\"actions\": [\"StepInto\"], \"result\": {{\"state\": \"Break\", \"invocationStack\": [{{\
             \"scriptHash\": \"{hash}\", \"instructionPointer\": 1, \"nextInstruction\": \"EQUAL\", \
             \"evaluationStack\": [{{\"type\": \"Integer\", \"value\": 3}}]}}]}}}}"
        )
    };
    let (wrong, right) =
        ("59f89b0d00711caf205a5dbeadedafb1e701f1f1", "9e02f205612b4d7fe9466a789764b0eafe7eb072");
    for prefix in ["", "0x"] {
        let file = NeoFile::new("neo2", "\"0x5387\"", &step(&format!("{prefix}{wrong}")));
        file.becomes(&[], wrong, right);
    }
}
