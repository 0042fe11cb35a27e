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
        let comment = format!("# uncertain: not read: $.{name}, which has the name of a datum before or after");
        assert!(made.contains(&comment) && !made.contains(&format!("\"$.{name}\"")), "{made}");
    }
}
