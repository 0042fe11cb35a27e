//! Signatures: the example of RFC 6979 A.2.5, a signature of the same message and private key on
//! secp256k1, and invalid keys and signatures.

use hex::decode;
use vmconf::machines::ecdsa::{Curve, KeyError, PublicKey};

const MESSAGE: &[u8] = b"sample";

struct Example {
    curve: Curve,
    x: &'static str,
    y: &'static str,
    /// The key's first byte in its short form.
    parity: &'static str,
    r: &'static str,
    s: &'static str,
    /// The order less s, which fits as well.
    other_s: &'static str,
    order: &'static str,
}

const R1: Example = Example {
    curve: Curve::Secp256r1,
    x: "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
    y: "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
    parity: "03",
    r: "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
    s: "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
    other_s: "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9",
    order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
};

const K1: Example = Example {
    curve: Curve::Secp256k1,
    x: "2c8c31fc9f990c6b55e3865a184a4ce50e09481f2eaeb3e60ec1cea13a6ae645",
    y: "64b95e4fdb6948c0386e189b006a29f686769b011704275e4459822dc3328085",
    parity: "03",
    r: "432310e32cb80eb6503a26ce83cc165c783b870845fb8aad6d970889fcd7a6c8",
    s: "530128b6b81c548874a6305d93ed071ca6e05074d85863d4056ce89b02bfab69",
    other_s: "acfed74947e3ab778b59cfa26c12f8e213ce8c71d6f03c67ba6575f1cd7695d8",
    order: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
};

#[test]
fn a_signature_fits_its_key_and_message_only() {
    for Example { curve, x, y, parity, r, s, other_s, order } in [R1, K1] {
        let zero = "0".repeat(64);
        for form in [format!("{parity}{x}"), format!("04{x}{y}"), format!("{x}{y}")] {
            let key = PublicKey::decode(curve, &decode(form).unwrap()).unwrap();
            let check = |message: &[u8], signature: String, fits| {
                assert_eq!(key.verify(message, &decode(&signature).unwrap()), fits, "{curve:?} {signature}");
            };
            check(MESSAGE, format!("{r}{s}"), true);
            check(MESSAGE, format!("{r}{other_s}"), true);
            check(b"simple", format!("{r}{s}"), false);
            check(MESSAGE, format!("{s}{r}"), false);
            check(MESSAGE, format!("{r}{s}00"), false);
            check(MESSAGE, r.to_owned(), false);
            check(MESSAGE, String::new(), false);
            check(MESSAGE, format!("{zero}{s}"), false);
            check(MESSAGE, format!("{r}{zero}"), false);
            check(MESSAGE, format!("{r}{order}"), false);
            check(MESSAGE, format!("{order}{s}"), false);
        }
        let other = if parity == "02" { "03" } else { "02" };
        let other = PublicKey::decode(curve, &decode(format!("{other}{x}")).unwrap()).unwrap();
        assert!(!other.verify(MESSAGE, &decode(format!("{r}{s}")).unwrap()), "the point across");
    }
}

#[test]
fn invalid_keys_are_rejected_with_a_reason() {
    fn check(curve: Curve, key: &str, error: KeyError) {
        assert_eq!(PublicKey::decode(curve, &decode(key).unwrap()).unwrap_err(), error, "{curve:?} {key}");
    }
    // Coordinates for which the curve has no point.
    for (Example { curve, x, y, .. }, nowhere) in [(R1, 1), (K1, 5)] {
        check(curve, &format!("02{nowhere:064x}"), KeyError::NoPoint);
        check(curve, &format!("03{nowhere:064x}"), KeyError::NoPoint);
        check(curve, &format!("02{}", "f".repeat(64)), KeyError::NoPoint);
        check(curve, &format!("04{x}{x}"), KeyError::NoPoint);
        check(curve, &format!("{y}{x}"), KeyError::NoPoint);
        check(curve, &"0".repeat(128), KeyError::NoPoint);
        check(curve, "", KeyError::UnknownForm);
        check(curve, "00", KeyError::UnknownForm);
        check(curve, x, KeyError::UnknownForm);
        check(curve, &format!("04{x}"), KeyError::UnknownForm);
        check(curve, &format!("02{x}{y}"), KeyError::UnknownForm);
        check(curve, &format!("06{x}{y}"), KeyError::UnknownForm);
        check(curve, &format!("{x}{y}0000"), KeyError::UnknownForm);
    }
}
