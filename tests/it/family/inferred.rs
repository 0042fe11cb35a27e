//! What `vmconf family init` makes of vectors.

use super::{folder, made_of, vmconf_in};

/// A member beside the states with the name of a datum in them is no second value of the same field.
#[test]
fn a_member_beside_the_states_with_the_name_of_a_field_is_not_read() {
    for (name, case) in [
        ("cycles", r#""initial":{"pc":1,"cycles":0},"final":{"pc":2,"cycles":5},"cycles":[[1,2,"read"]]"#),
        ("opcode", r#""initial":{"pc":1,"opcode":7},"final":{"pc":2},"opcode":1"#),
        ("ports", r#""initial":{"pc":1},"final":{"pc":2,"ports":[]},"ports":[[1,2]]"#),
    ] {
        let made = made_of(&format!(r#"[{{"name":"a","initial":{{}},"final":{{}}}},{{"name":"b",{case}}}]"#));
        let comment =
            format!("# uncertain: not read: $.{name}, which has the name of a datum before or after");
        assert!(made.contains(&comment) && !made.contains(&format!("\"$.{name}\"")), "{made}");
    }
}

/// Vectors with cases that have no state after are told: a machine may have to refuse these.
#[test]
fn items_with_one_of_the_two_states_are_counted() {
    let vectors = r#"[{"name":"a","initial":{"x":1},"error":"trap"},{"name":"b","initial":{"x":1},"final":{"x":2}},
                      {"name":"c","final":{"x":2}},{"name":"d","initial":{"x":1}},{"comment":"no case"}]"#;
    let folder = folder(&[("m.json", vectors)]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    for line in
        ["2 of 5 items have no $.final and are not read", "1 of 5 items have no $.initial and are not read"]
    {
        assert!(made.stdout.contains(&format!("\n# uncertain: {line}\n")), "{made:?}");
        assert!(made.stderr.contains(&format!("note: {line}\n")), "{made:?}");
    }
    assert!(!made_of(r#"[{"initial":{"x":1},"final":{"x":2}}]"#).contains("not read"));
}

/// What was not looked at is said.
#[test]
fn only_the_first_cases_are_looked_at() {
    let case = r#"{"initial":{"x":1},"final":{"x":2}}"#;
    let folder = folder(&[("m.json", &format!("[{case}{}]", format!(",{case}").repeat(100_000)))]);
    let made = vmconf_in(folder.path(), &["family", "init", "m.json"]);
    assert!(made.stderr.contains("note: only the first 100000 of 100001 cases are looked at"), "{made:?}");
}

/// A machine is named like its file, compressed or not.
#[test]
fn a_compressed_file_names_the_machine() {
    let folder = folder(&[("acc.json", r#"[{"initial":{"x":1},"final":{"x":2}}]"#)]);
    let path = folder.path().join("acc.json");
    let compressed = std::process::Command::new("gzip").arg(&path).status();
    if !compressed.is_ok_and(|status| status.success()) {
        return;
    }
    let made = vmconf_in(folder.path(), &["family", "init", "acc.json.gz"]);
    assert!(made.exit == 0 && made.stdout.contains("machine  = \"acc\"\n"), "{made:?}");
}
