//! The measure of Ochiai.

/// The measure of Ochiai: how alike are the failing cases and those that execute something? `executing` of `failures`
/// failing cases do, and `passing` passing ones.
pub(in crate::explain) fn ochiai(executing: f64, passing: u64, failures: f64) -> f64 {
    if executing == 0.0 {
        return 0.0;
    }
    executing / (failures * (executing + passing as f64)).sqrt()
}
