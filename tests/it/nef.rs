//! Contracts of Neo N3: what the reader of containers and manifests takes and refuses, and how
//! `vmconf disasm` shows them. Containers are written here, field by field.

mod neo3;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::{Ran, command, ran, vmconf};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use vmconf::formats::nef::{CallFlags, ContractManifest, Nef, Token, is_nef};

/// PUSH1 PUSH2 ADD RET
const SCRIPT: &[u8] = &[0x11, 0x12, 0x9e, 0x40];

/// The bytes of each field of a container but its checksum.
#[derive(Clone)]
struct Fields {
    magic: Vec<u8>,
    compiler: Vec<u8>,
    source: Vec<u8>,
    reserved: Vec<u8>,
    tokens: Vec<u8>,
    reserved_too: Vec<u8>,
    script: Vec<u8>,
}

impl Fields {
    /// A container without anything that need not be there.
    fn small() -> Fields {
        Fields {
            magic: b"NEF3".to_vec(),
            compiler: padded("neo"),
            source: sized(b""),
            reserved: vec![0],
            tokens: length(0),
            reserved_too: vec![0, 0],
            script: sized(SCRIPT),
        }
    }

    fn with_tokens(tokens: &[Vec<u8>]) -> Fields {
        Fields { tokens: [length(tokens.len()), tokens.concat()].concat(), ..Fields::small() }
    }

    /// The file with the right checksum.
    fn file(&self) -> Vec<u8> {
        let Fields { magic, compiler, source, reserved, tokens, reserved_too, script } = self;
        let before = [magic, compiler, source, reserved, tokens, reserved_too, script].map(Vec::as_slice);
        let before = before.concat();
        let checksum = Sha256::digest(Sha256::digest(&before));
        [&before, &checksum[..4]].concat()
    }
}

fn padded(compiler: &str) -> Vec<u8> {
    let mut field = compiler.as_bytes().to_vec();
    field.resize(64, 0);
    field
}

fn length(length: usize) -> Vec<u8> {
    match length {
        0..0xfd => vec![length as u8],
        0xfd..0x1_0000 => [&[0xfd][..], &(length as u16).to_le_bytes()].concat(),
        _ => [&[0xfe][..], &(length as u32).to_le_bytes()].concat(),
    }
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [length(bytes.len()), bytes.to_vec()].concat()
}

/// A token that calls `method` with two parameters.
fn token(method: &[u8], result: u8, flags: u8) -> Vec<u8> {
    let contract: Vec<u8> = (1..=20).collect();
    [contract, sized(method), vec![2, 0, result, flags]].concat()
}

/// A file of all kinds of fields.
fn full() -> Vec<u8> {
    let tokens = Fields::with_tokens(&[token(b"itoa", 1, 15), token(b"", 0, 0)]).tokens;
    Fields { source: sized(b"https://example.org"), tokens, ..Fields::small() }.file()
}

#[test]
fn a_container_is_read() {
    let token = |method: &str, has_result, flags| Token {
        contract: std::array::from_fn(|index| index as u8 + 1),
        method: method.to_owned(),
        parameters: 2,
        has_result,
        flags: CallFlags::from_bits(flags).unwrap(),
    };
    let file = full();
    let expected = Nef {
        compiler: "neo".to_owned(),
        source: "https://example.org".to_owned(),
        tokens: vec![token("itoa", true, 15), token("", false, 0)],
        script: SCRIPT.to_vec(),
        checksum: *file.last_chunk().unwrap(),
    };
    assert_eq!(Nef::read(&file), Ok(expected));
}

/// Everything that is just allowed.
#[test]
fn the_ends_of_each_range_are_read() {
    fn check(fields: &Fields) -> Nef {
        let file = fields.file();
        assert!(is_nef(&file));
        Nef::read(&file).unwrap()
    }
    assert_eq!(check(&Fields::small()).script, SCRIPT);
    for name in ["", "c", &"c".repeat(64), &"é".repeat(32)] {
        assert_eq!(check(&Fields { compiler: padded(name), ..Fields::small() }).compiler, name);
    }
    for size in [0, 1, 0xfc, 0xfd, 256] {
        let source = "s".repeat(size);
        assert_eq!(check(&Fields { source: sized(source.as_bytes()), ..Fields::small() }).source, source);
    }
    for count in [0, 1, 127, 128] {
        let tokens = vec![token(&[b'm'; 32], 1, 1); count];
        assert_eq!(check(&Fields::with_tokens(&tokens)).tokens.len(), count);
    }
    for flags in 0..16 {
        assert_eq!(check(&Fields::with_tokens(&[token(b"m", 1, flags)])).tokens[0].flags.bits(), flags);
    }
    // As large as the file may be.
    let most = 131_070 - (Fields::small().file().len() - SCRIPT.len()) - 4;
    for size in [1, 0xfc, 0xfd, 0xffff, 0x1_0000, most] {
        let script = vec![0x21; size];
        assert_eq!(check(&Fields { script: sized(&script), ..Fields::small() }).script, script);
    }
    assert_eq!(Fields { script: sized(&vec![0x21; most]), ..Fields::small() }.file().len(), 131_070);
}

#[test]
fn damaged_containers_are_explained() {
    fn check(file: &[u8], message: &str) {
        assert_eq!(Nef::read(file).unwrap_err().to_string(), message);
    }
    let small = Fields::small;
    let tokens = |token: Vec<u8>| Fields::with_tokens(&[token]).file();
    let with = |bytes: &[u8], more: &[u8]| [bytes, more].concat();
    let at = |index: usize, byte: u8| {
        let mut compiler = padded("neo");
        compiler[index] = byte;
        Fields { compiler, ..small() }.file()
    };

    check(b"", "byte 0: the file ends before the end of the magic; expected at least 4 bytes");
    check(
        &Fields { magic: b"NEF2".to_vec(), ..small() }.file(),
        "byte 0: the magic is 0x4e454632; expected 0x4e454633",
    );
    check(&at(5, b'x'), "byte 9: 0x78 after the compiler's name; expected 0x00");
    check(&at(1, 0xff), "byte 5: the compiler is not UTF-8; expected UTF-8");
    check(
        &Fields { source: sized(b"ab\xc3"), ..small() }.file(),
        "byte 71: the source is not UTF-8; expected UTF-8",
    );
    check(
        &Fields { source: sized(&[b's'; 257]), ..small() }.file(),
        "byte 68: the length of the source is 257; expected 0 to 256",
    );
    check(&Fields { reserved: vec![1], ..small() }.file(), "byte 69: 0x01 in a reserved byte; expected 0x00");
    check(
        &Fields { reserved_too: vec![0, 0x80], ..small() }.file(),
        "byte 72: 0x80 in a reserved byte; expected 0x00",
    );
    check(
        &Fields::with_tokens(&vec![token(b"m", 1, 15); 129]).file(),
        "byte 70: the number of tokens is 129; expected 0 to 128",
    );
    check(
        &Fields { tokens: vec![0xff; 9], ..small() }.file(),
        "byte 70: the number of tokens is 18446744073709551615; expected 0 to 128",
    );
    check(
        &tokens(token(&[b'm'; 33], 1, 15)),
        "byte 91: token 0: the length of the method is 33; expected 0 to 32",
    );
    check(
        &tokens(token(b"_deploy", 1, 15)),
        "byte 92: token 0: the method starts with _; expected another character",
    );
    check(&tokens(token(b"m\xff", 1, 15)), "byte 93: token 0: the method is not UTF-8; expected UTF-8");
    check(
        &Fields::with_tokens(&[token(b"m", 1, 15), token(b"m", 2, 15)]).file(),
        "byte 121: token 1: the result byte is 0x02; expected 0x00 or 0x01",
    );
    check(&tokens(token(b"m", 1, 0x1f)), "byte 96: token 0: the call flags are 0x1f; expected bits of 0x0f");
    check(
        &Fields { script: sized(b""), ..small() }.file(),
        "byte 73: the length of the script is 0; expected 1 to 131070",
    );
    check(
        &Fields { script: length(131_071), ..small() }.file(),
        "byte 73: the length of the script is 131071; expected 1 to 131070",
    );
    for (script, size) in [
        (with(&[0xfd, 4, 0], SCRIPT), 3),
        (with(&[0xfe, 4, 0, 0, 0], SCRIPT), 5),
        (with(&[0xff, 4, 0, 0, 0, 0, 0, 0, 0], SCRIPT), 9),
    ] {
        check(
            &Fields { script, ..small() }.file(),
            &format!(
                "byte 73: the length of the script, 4, is written in {size} bytes; expected as few bytes as it needs"
            ),
        );
    }
    check(
        &Fields { script: vec![0xfe, 0xff, 0xff, 0, 0], ..small() }.file(),
        "byte 73: the length of the script, 65535, is written in 5 bytes; expected as few bytes as it needs",
    );
    check(
        &Fields { script: with(&length(100), SCRIPT), ..small() }.file(),
        "byte 82: the file ends before the end of the script; expected at least 174 bytes",
    );
    check(
        &with(&small().file(), b"more"),
        "byte 82: bytes after the checksum: 4; expected the end of the file",
    );
    check(
        &with(&small().file(), &vec![0; 131_070 - 81]),
        "byte 131070: the file has 131071 bytes; expected at most 131070",
    );
    let mut file = small().file();
    let right = hex::encode(&file[78..]);
    file[78..].copy_from_slice(&[1, 2, 3, 4]);
    check(
        &file,
        &format!(
            "byte 78: the checksum is 0x01020304; expected 0x{right}, the checksum of the bytes before it"
        ),
    );
}

/// The place is the end of what is there, and the field is the one that is not whole.
#[test]
fn no_prefix_is_accepted() {
    let file = full();
    for end in 0..file.len() {
        let error = Nef::read(&file[..end]).unwrap_err();
        assert_eq!(error.at, end, "{error}");
        assert!(error.what.contains("the file ends before the end of the "), "{error}");
    }
    let field = |end: usize| Nef::read(&file[..end]).unwrap_err().to_string();
    assert!(field(67).contains("end of the compiler; expected at least 68 bytes"), "{}", field(67));
    assert!(field(68).contains("end of the length of the source"), "{}", field(68));
    assert!(field(90).contains("token 0: the file ends before the end of the contract"), "{}", field(90));
    assert!(field(file.len() - 1).contains("end of the checksum"), "{}", field(file.len() - 1));
}

#[test]
fn no_flipped_bit_is_accepted() {
    for file in [Fields::small().file(), full()] {
        for bit in 0..file.len() * 8 {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Nef::read(&flipped).is_err(), "bit {bit} of {}", hex::encode(&file));
        }
    }
}

proptest! {
    #![proptest_config(crate::support::config(256))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Nef::read(&bytes).is_err());
        prop_assert!(Nef::read(&[b"NEF3", &bytes[..]].concat()).is_err());
        let _ = ContractManifest::read(&bytes, 4);
    }

    /// Damage that a right checksum covers up.
    #[test]
    fn any_damage_is_read_or_refused(at in 0..150_usize, bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        let mut body = full();
        body.truncate(body.len() - 4);
        let start = at.min(body.len());
        let end = (start + bytes.len()).min(body.len());
        body.splice(start..end, bytes);
        let checksum = Sha256::digest(Sha256::digest(&body));
        let file = [&body, &checksum[..4]].concat();
        if let Err(error) = Nef::read(&file) {
            prop_assert!(error.at <= file.len(), "{error}");
        }
    }

    #[test]
    fn no_text_of_few_characters_is_a_manifest(text in r#"([\[\]{},:0-9]|"(name|abi|methods|offset|features)"|"|é| ){0,30}"#) {
        prop_assert!(!ContractManifest::read(text.as_bytes(), 4).deviations.is_empty());
    }
}

#[test]
fn call_flags_are_named() {
    let names: Vec<_> = (0..=15).map(|bits| CallFlags::from_bits(bits).unwrap().to_string()).collect();
    assert_eq!(names[..6], ["None", "ReadStates", "WriteStates", "States", "AllowCall", "ReadOnly"]);
    assert_eq!(names[6..9], ["AllowCall+WriteStates", "ReadOnly+WriteStates", "AllowNotify"]);
    assert_eq!(names[15], "All");
    assert!((16..=255).all(|bits| CallFlags::from_bits(bits).is_none()));
}

/// A manifest in which the value of each of these members can be replaced.
fn manifest(replaced: &[(&str, &str)]) -> String {
    let value = |key: &str| {
        let found = replaced.iter().find(|(name, _)| *name == key);
        found.map_or_else(|| defaults(key).to_owned(), |(_, value)| (*value).to_owned())
    };
    let (name, features, abi) = (value("name"), value("features"), value("abi"));
    format!(
        r#"{{"name": {name}, "groups": [], "features": {features}, "supportedstandards": [],
"abi": {},
"permissions": [], "trusts": [], "extra": null}}"#,
        abi.replace("METHODS", &value("methods")).replace("OFFSET", &value("offset"))
    )
}

fn defaults(key: &str) -> &'static str {
    match key {
        "name" => r#""Token""#,
        "features" => "{}",
        "abi" => r#"{"methods": METHODS, "events": []}"#,
        "methods" => {
            r#"[{"name": "transfer", "offset": OFFSET, "parameters": [{"name": "to", "type": "Hash160"},
{"name": "amount", "type": "Integer"}], "returntype": "Boolean", "safe": true}]"#
        }
        "offset" => "3",
        other => panic!("{other}"),
    }
}

#[test]
fn a_manifest_is_read() {
    let read = ContractManifest::read(manifest(&[]).as_bytes(), 4);
    assert_eq!(read.deviations, []);
    assert_eq!(read.name, "Token");
    let methods: Vec<_> = read.methods.iter().map(|it| (it.offset, it.to_string())).collect();
    assert_eq!(methods, [(3, "transfer(to: Hash160, amount: Integer) -> Boolean, safe".to_owned())]);
    let read = ContractManifest::read(manifest(&[("methods", "[]")]).as_bytes(), 1);
    assert_eq!(read.methods, []);
    let spaces = 65_535 - manifest(&[]).len();
    let largest = manifest(&[]) + &" ".repeat(spaces);
    assert_eq!(ContractManifest::read(largest.as_bytes(), 4).methods.len(), 1);
}

#[test]
fn wrong_manifests_are_explained() {
    fn check_text(text: impl AsRef<[u8]>, message: &str) {
        assert_eq!(ContractManifest::read(text.as_ref(), 4).deviations[0].to_string(), message);
    }
    fn check(key: &str, value: &str, message: &str) {
        check_text(manifest(&[(key, value)]), message);
    }
    check_text("", "1:1: the file ends here; expected a JSON value");
    check_text("[]", "1:1: an array; expected an object with a member \"name\"");
    check_text("{}", "1:1: no member \"name\"; expected an object with a member \"name\"");
    check_text(b"{\n\"\xff", "2:2: this byte is not UTF-8; expected a file in UTF-8");
    check_text(" ".repeat(65_536), "1:65536: the manifest is too large; expected at most 65535 bytes");
    check(
        "name",
        "\"a\", \"name\": \"b\"",
        "1:15: key \"name\" is duplicated in this object; expected each key once; the first is in line 1",
    );
    check("name", "\"a\" /* b */", "1:14: comment; expected JSON, which has none");
    check("name", "7", "1:10: name is a number; expected a string");
    check("features", "{\"storage\": true}", "1:45: features is {\"storage\": true}; expected {}");
    check("features", "[]", "1:45: features is []; expected {}");
    check("abi", "[]", "2:8: an array; expected an object with a member \"methods\"");
    check("methods", "{}", "2:20: methods is an object; expected an array");
    check("methods", "[1]", "2:21: a number; expected an object with a member \"name\"");
    check(
        "methods",
        "[{\"name\": \"m\"}]",
        "2:21: no member \"offset\"; expected an object with a member \"offset\"",
    );
    for offset in ["4", "-1", "1.0", "1e0", "99999999999999999999999", "\"0\"", "null", "[0]"] {
        let message = format!(
            "2:52: the offset of a method is {offset}; expected a whole number below 4, the size of the script"
        );
        check("offset", offset, &message);
    }
    let changed = |from: &str, to: &str, message: &str| check_text(manifest(&[]).replace(from, to), message);
    changed("true", "1", "3:74: safe is a number; expected true or false");
    changed("\"Boolean\"", "null", "3:55: returntype is null; expected a string");
    changed("\"Integer\"", "[]", "3:28: type is an array; expected a string");
    changed("\"amount\"", "{}", "3:10: name is an object; expected a string");
    changed("\"type\"", "\"\"", "2:70: no member \"type\"; expected an object with a member \"type\"");
    changed(
        "\"features\"",
        "\"\"",
        "1:1: no member \"features\"; expected an object with a member \"features\"",
    );
    changed(
        "\"parameters\": [",
        "\"parameters\": 1, \"more\": [",
        "2:69: parameters is a number; expected an array",
    );
}

/// A folder with a container, and a manifest if there is one.
fn folder(nef: &[u8], manifest: Option<&str>) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("x.nef"), nef).unwrap();
    if let Some(text) = manifest {
        fs::write(folder.path().join("x.manifest.json"), text).unwrap();
    }
    folder
}

/// `vmconf disasm` of `x.nef` in the folder, whose name is left out of the messages.
fn disasm(folder: &TempDir, args: &[&str]) -> Ran {
    let path = folder.path().join("x.nef");
    let mut ran = vmconf(&[&["disasm"], args, &[path.to_str().unwrap()]].concat());
    ran.stderr = ran.stderr.replace(&format!("{}/", folder.path().display()), "");
    ran
}

/// Runs the command with this on standard input.
fn with_input(args: &[&str], input: &[u8]) -> Ran {
    let mut command = command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    ran(child.wait_with_output().unwrap())
}

#[test]
fn a_container_is_refused_for_another_machine() {
    let ran = disasm(&folder(&full(), None), &["evm"]);
    assert_eq!((ran.exit, &*ran.stdout), (2, ""));
    assert_eq!(ran.stderr, "error: x.nef: a NEF3 file, which is a program of neo3, not of evm\n");
}

#[test]
fn an_unknown_file_is_refused() {
    for file in [&b"NEF2"[..], b"NEF", b"0x1", b"\xff\xfe", b"PUSH1\n"] {
        let ran = disasm(&folder(file, None), &["evm"]);
        assert_eq!((ran.exit, &*ran.stdout), (3, ""));
        let is_both = ran.stderr.starts_with("error: x.nef: neither hex digits (")
            && ran.stderr.ends_with(") nor a NEF3 file\n");
        assert!(is_both, "{}", ran.stderr);
    }
}
