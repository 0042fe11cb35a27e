//! The ids of cases: the same however a path is typed, and from whatever folder.

use std::fs;
use std::path::Path;

use crate::support::{Ran, at_root, command, ran};
use tempfile::TempDir;
use vmconf::run::anchor::Anchor;

const GAS: &str = "tests/samples/vmtests/wrong/gas.json";

/// A project with a failing case, and a folder beside the project.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Project {
        let project = Project { folder: TempDir::new().unwrap() };
        for name in ["project/many/gas.json", "suite/gas.json"] {
            let path = project.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(at_root(GAS), path).unwrap();
        }
        project
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn vmconf(&self, from: &str, args: &[&str]) -> Ran {
        let mut command = command(args);
        command.current_dir(self.path(from)).env("VMCONF_CACHE", self.path("cache"));
        ran(command.output().unwrap())
    }

    fn list(&self, from: &str, path: &str) -> String {
        let ran = self.vmconf(from, &["list", path]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        ran.stdout
    }
}

const ID: &str = "many/gas.json::gas\n";

#[test]
fn ids_are_the_same_for_every_spelling_of_a_path() {
    let project = Project::new();
    let absolute = project.path("project/many");
    for path in
        ["many", "./many", "many/", "many/../many", "../project/many", &absolute, "many/gas.json::gas"]
    {
        assert_eq!(project.list("project", path), ID, "{path}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("many", project.path("project/link")).unwrap();
        assert_eq!(project.list("project", "link"), ID);
        assert_eq!(project.list("project", "link/gas.json::gas"), ID);
    }
    // Each file is read once.
    assert_eq!(project.vmconf("project", &["list", "many", "./many", &absolute]).stdout, ID);
    // What is outside of the folder has one name, too.
    let outside = project.path("suite/gas.json");
    for path in ["../suite", "../project/../suite/gas.json", &outside] {
        assert_eq!(project.list("project", path), "../suite/gas.json::gas\n", "{path}");
    }
}

#[test]
fn known_lists_filters_and_reruns_use_the_same_ids() {
    let project = Project::new();
    let absolute = project.path("project/many");
    let known = "[[known]]\nid = \"many/gas.json::gas\"\nreason = \"not yet\"\n";
    project.write("project/known.toml", known);
    for path in ["./many", &absolute, "../project/many/gas.json"] {
        assert_eq!(project.vmconf("project", &["run", path, "--known", "known.toml"]).exit, 0, "{path}");
        assert_eq!(project.vmconf("project", &["run", path, "--filter", "many/*"]).exit, 1, "{path}");
        assert_eq!(project.vmconf("project", &["run", path, "-E", "path(many/gas.json)"]).exit, 1, "{path}");
        for rerun in ["many", "./many/gas.json::gas", &absolute] {
            assert_eq!(project.vmconf("project", &["run", "--rerun", "failed", rerun]).exit, 1, "{rerun}");
        }
    }
    let compared = project.vmconf("project", &["compare", "last~1"]);
    assert!(compared.stdout.starts_with("0 broken, 0 fail differently, 0 fixed, 0 new, 0 gone, 1 as before"));
}

/// The anchor is the folder of `vmconf.toml`, from every folder below it.
#[test]
fn ids_are_the_same_from_a_subfolder() {
    let project = Project::new();
    project.write("project/vmconf.toml", "");
    for path in [".", "gas.json", "gas.json::gas", "../many"] {
        assert_eq!(project.list("project/many", path), ID, "{path}");
    }
    // An id that was printed can be typed there, and the run is that of the project.
    assert_eq!(project.vmconf("project/many", &["run", "many/gas.json::gas"]).exit, 1);
    assert_eq!(project.vmconf("project", &["run", "--rerun", "failed"]).exit, 1);
    let json = project.vmconf("project/many", &["run", ".", "--report", "json"]).stdout;
    assert!(json.contains(r#""file":"many/gas.json""#), "{json}");
    // It names the same case if the working folder has such a file as well.
    let nested = Path::new(&project.path("project/many/many")).to_owned();
    fs::create_dir(&nested).unwrap();
    fs::copy(at_root("vectors/evm/arithmetic/add.json"), nested.join("gas.json")).unwrap();
    assert_eq!(project.list("project/many", "many/gas.json::gas"), ID);
    assert_ne!(project.list("project/many", "many/gas.json"), ID);
    // Without it, the anchor is the working folder.
    assert_eq!(
        project.vmconf("project/many", &["list", "--no-config", "gas.json"]).stdout,
        "gas.json::gas\n"
    );
}

#[test]
fn missing_cases_are_errors() {
    let project = Project::new();
    for command in ["run", "list", "diff", "trace", "check", "bless"] {
        let ran = project.vmconf("project", &[command, "many/gas.json::gsa"]);
        assert_eq!(
            (ran.exit, &*ran.stdout, &*ran.stderr),
            (2, "", "error: there is no case gsa in many/gas.json; did you mean many/gas.json::gas?\n"),
            "{command}"
        );
    }
    // The first one in the order of the arguments, whichever file it is of.
    let other = project.path("suite/gas.json");
    let typed = ["many/gas.json::gas", &format!("{other}::first"), "many/gas.json::second"];
    let ran = project.vmconf("project", &[&["run"][..], &typed].concat());
    assert_eq!((ran.exit, &*ran.stderr), (2, "error: there is no case first in ../suite/gas.json\n"),);
    let ran = project.vmconf("project", &["list", "many", "--filter", "nothing"]);
    assert_eq!((ran.exit, &*ran.stdout, &*ran.stderr), (4, "", "note: no case matches\n"));
}

#[test]
fn names_are_relative_to_the_project_and_lead_back_to_paths() {
    let project = Project::new();
    let anchor = Anchor::at(Path::new(&project.path("project"))).unwrap();
    for (path, name) in [
        ("project", "."),
        ("project/many/gas.json", "many/gas.json"),
        ("project/many/deleted/x.json", "many/deleted/x.json"),
        ("suite/gas.json", "../suite/gas.json"),
        ("", ".."),
    ] {
        let path = project.path(path);
        let path = Path::new(path.trim_end_matches('/'));
        assert_eq!(&*anchor.name(path), name);
        assert_eq!(anchor.path(name), path, "{name}");
    }
    // Only the root is shared: a path with `..` would say how deep the anchor is.
    assert_eq!(&*anchor.name(Path::new("/no-such-folder/x.json")), "/no-such-folder/x.json");
}
