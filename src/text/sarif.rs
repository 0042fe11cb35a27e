//! What files in the form SARIF 2.1.0 share.

/// How each file begins: its schema, its version and the start of its only run.
pub const OPENING: &str =
    r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"#;
