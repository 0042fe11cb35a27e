//! What files in the form SARIF 2.1.0 share.

/// The schema that they name.
pub const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
