//! What needs the machine: `vmconf disasm`, and contracts as scripts of vectors.

use super::*;

fn check(nef: &[u8], manifest: Option<&str>, args: &[&str], stdout: &str) {
    let folder = folder(nef, manifest);
    let ran = disasm(&folder, &[&["neo3"], args].concat());
    let checksum = format!("0x{}", hex::encode(&nef[nef.len() - 4..]));
    let stdout = stdout.replace("CHECKSUM", &checksum);
    assert_eq!(ran, Ran { exit: 0, stdout, stderr: String::new() });
}

#[test]
fn a_container_is_listed() {
    let listed = "\
; compiler neo
; checksum CHECKSUM
0000  PUSH1
0001  PUSH2
0002  ADD
0003  RET
";
    check(&Fields::small().file(), None, &[], listed);
    let listed = "\
; compiler neo
; source https://example.org
; token 0: contract 0x14131211100f0e0d0c0b0a090807060504030201, method itoa, parameters 2, a result, flags All
; token 1: contract 0x14131211100f0e0d0c0b0a090807060504030201, method , parameters 2, no result, flags None
; checksum CHECKSUM
0000  PUSH1
0001  PUSH2
0002  ADD
0003  RET
";
    check(&full(), None, &[], listed);
}

#[test]
fn methods_stand_where_they_start() {
    let method = |name: &str, offset: usize| {
        format!(
            r#"{{"name": "{name}", "offset": {offset}, "parameters": [], "returntype": "Void", "safe": false}}"#
        )
    };
    let methods = format!("[{}]", [method("late", 3), method("first", 0), method("alias", 0)].join(","));
    let listed = "\
; contract Token
; compiler neo
; checksum CHECKSUM
; method first() -> Void
; method alias() -> Void
0000  PUSH1
0001  PUSH2
0002  ADD
; method late() -> Void
0003  RET
";
    let manifest = manifest(&[("methods", &methods)]);
    check(&Fields::small().file(), Some(&manifest), &[], listed);
}

/// The method starts in the second byte of the operand of PUSHINT16.
#[test]
fn a_method_inside_an_instruction_is_noted() {
    let fields = Fields { script: sized(&[0x21, 0x01, 0x02, 0x03]), ..Fields::small() };
    let folder = folder(&fields.file(), Some(&manifest(&[])));
    let stdout = disasm(&folder, &["neo3"]).stdout;
    let expected = "\
0000  NOP
; method transfer(to: Hash160, amount: Integer) -> Boolean, safe; starts inside the next instruction, at 0003
0001  PUSH";
    assert!(stdout.contains(expected), "{stdout}");
}

#[test]
fn source_is_assembled_to_the_script() {
    let hostile = Fields {
        compiler: padded("neo\nPUSH1 \u{1b}[31m"),
        source: sized("PUSH1\r\nPUSH1\u{2028}\u{202e}".as_bytes()),
        ..Fields::with_tokens(&[token(b"\nPUSH1\x07", 1, 15)])
    };
    let name = r#""\nPUSH1 \u001b[0m""#;
    let manifest = manifest(&[("name", name), ("methods", &defaults("methods").replace("\"to\"", name))]);
    let folder = folder(&hostile.file(), Some(&manifest));
    let ran = disasm(&folder, &["neo3", "--source"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    assert!(ran.stdout.chars().all(|it| it == '\n' || !it.is_control()), "{:?}", ran.stdout);
    assert!(ran.stdout.starts_with("; contract \\nPUSH1 \\u{1b}[0m\n; compiler neo\\nPUSH1 \\u{1b}[31m\n"));
    let back = with_input(&["asm", "neo3", "-"], ran.stdout.as_bytes());
    assert_eq!((back.exit, &*back.stdout), (0, "0x11129e40\n"), "{}", back.stderr);
}

#[test]
fn a_container_comes_from_standard_input() {
    let ran = with_input(&["disasm", "neo3", "-"], &Fields::small().file());
    assert!(ran.stdout.ends_with("0003  RET\n"), "{ran:?}");
    let ran = with_input(&["disasm", "neo3", "-"], &Fields::small().file()[..70]);
    assert_eq!(ran.exit, 3);
    assert_eq!(
        ran.stderr,
        "error: -: byte 70: the file ends before the end of the number of tokens; expected at least 71 bytes\n"
    );
}

#[test]
fn hex_is_still_read() {
    let ran = disasm(&folder(b"0x1112 9e40\n", None), &["neo3", "--source"]);
    assert_eq!(ran.stdout, "PUSH1\nPUSH2\nADD\nRET\n");
    // A script may start with the bytes of the magic: only a file is a container.
    assert_eq!(vmconf(&["disasm", "neo3", "0x4e454633"]).exit, 0);
}

#[test]
fn broken_files_are_refused() {
    fn check(nef: &[u8], manifest: Option<&str>, stderr: &str) {
        let ran = disasm(&folder(nef, manifest), &["neo3"]);
        assert_eq!(ran, Ran { exit: 3, stdout: String::new(), stderr: format!("error: {stderr}") });
    }
    check(
        b"NEF3",
        None,
        "x.nef: byte 4: the file ends before the end of the compiler; expected at least 68 bytes\n",
    );
    check(
        &[b"NEF3", &vec![0; 131_067][..]].concat(),
        None,
        "x.nef: byte 131070: the file has 131071 bytes; expected at most 131070\n",
    );
}

#[test]
fn a_manifest_that_deviates_is_reported_and_does_not_stop() {
    fn check(manifest: &str, shown: &str, stderr: &str) {
        let ran = disasm(&folder(&Fields::small().file(), Some(manifest)), &["neo3"]);
        assert_eq!((ran.exit, ran.stdout.contains(shown), &*ran.stderr), (0, true, stderr), "{}", ran.stdout);
        assert!(ran.stdout.ends_with("0003  RET\n"), "{}", ran.stdout);
    }
    check(
        "{",
        "0002  ADD",
        "note: x.manifest.json:1:2: the file ends here; expected a key in double quotes\n",
    );
    check(
        &" ".repeat(65_536),
        "0002  ADD",
        "note: x.manifest.json:1:65536: the manifest is too large; expected at most 65535 bytes\n",
    );
    check(
        &manifest(&[("offset", "4")]),
        "; contract Token\n",
        "note: x.manifest.json:2:52: the offset of a method is 4; expected a whole number below 4, the size of the script\n",
    );
    // As in appendix E.3 of the published text.
    check(
        &manifest(&[("features", "{\"storage\": true, \"payable\": false}")]),
        "; method transfer(",
        "note: x.manifest.json:1:45: features is {\"storage\": true, \"payable\": false}; expected {}\n",
    );
    let methods = format!("[{}1]", "1, ".repeat(11));
    let ran = disasm(&folder(&Fields::small().file(), Some(&manifest(&[("methods", &methods)]))), &["neo3"]);
    assert!(ran.stderr.ends_with("\nnote: x.manifest.json: and 2 more\n"), "{}", ran.stderr);
}

#[test]
fn a_folder_is_not_a_manifest() {
    let folder = folder(&Fields::small().file(), None);
    fs::create_dir(folder.path().join("x.manifest.json")).unwrap();
    let ran = disasm(&folder, &["neo3"]);
    assert_eq!((ran.exit, &*ran.stderr), (2, "error: x.manifest.json: not a regular file\n"));
}

/// A vector may name contracts in its own folder and below, and nothing else.
#[test]
fn a_contract_is_the_script_of_a_vector() {
    let above = folder(&Fields::small().file(), None);
    let own = above.path().join("own");
    fs::create_dir_all(own.join("below")).unwrap();
    fs::write(own.join("y.nef"), full()).unwrap();
    fs::write(own.join("below/z.nef"), full()).unwrap();
    fs::write(own.join("short.nef"), &full()[..70]).unwrap();
    let run = |script: &str| {
        let vector = own.join("v.json");
        let text = format!(
            r#"{{"category": "c", "name": "n", "tests": [{{"name": "t", "script": {script}, "steps": [
            {{"actions": ["Execute"], "result": {{"state": "HALT", "resultStack": [{{"type": "Integer", "value": 3}}]}}}}]}}]}}"#
        );
        fs::write(&vector, text).unwrap();
        vmconf(&["run", "--no-config", vector.to_str().unwrap()])
    };
    for file in ["y.nef", "./y.nef", "below/z.nef"] {
        let ran = run(&format!(r#"{{"file": "{file}"}}"#));
        assert_eq!(ran.exit, 0, "{file}: {ran:?}");
    }
    for (script, message) in [
        (r#"{"file": "../x.nef"}"#, "file \"../x.nef\": a file is named by its path below the folder"),
        (r#"{"file": "none.nef"}"#, "file \"none.nef\": there is no such file"),
        (r#"{"file": "below"}"#, "file \"below\": not a regular file"),
        (r#"{"file": "short.nef"}"#, "file \"short.nef\": byte 70: the file ends before the end of the"),
        (r#"{"file": "v.json"}"#, "file \"v.json\": byte 0: the magic is 0x7b226361"),
        (r#"{"file": 7}"#, "file is a number"),
        ("{}", "script without \"file\""),
    ] {
        let ran = run(script);
        assert_eq!((ran.exit, ran.stdout.contains(message)), (3, true), "{script}: {ran:?}");
    }
}
