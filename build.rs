//! Tells `vmconf --version` from which commit the program is built: sets `VMCONF_BUILD`, such as
//! `0.2.0 (1a2b3c4 2026-11-24)`, unless it is set already or the commit is not known.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A new commit would otherwise build everything again while one works on it.
    if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return;
    }
    println!("cargo::rerun-if-env-changed=VMCONF_BUILD");
    if let (Err(_), Some(commit)) = (env::var("VMCONF_BUILD"), commit()) {
        println!("cargo::rustc-env=VMCONF_BUILD={} ({commit})", env!("CARGO_PKG_VERSION"));
    }
}

/// The short hash and the date of the commit that is checked out; `None` outside a checkout of this repository.
fn commit() -> Option<String> {
    // A package may be below the checkout of another repository.
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(["--git-dir", ".git"]).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["log", "-1", "--format=%h %cs"])?;
    // The log of HEAD is written at each commit and each checkout. If it is switched off, the file is missing, and cargo
    // would build everything each time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists());
    println!("cargo::rerun-if-changed={}", log.as_deref().unwrap_or(".git/HEAD"));
    Some(commit)
}
