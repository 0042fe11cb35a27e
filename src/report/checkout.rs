//! Names of files as servers know them: relative to the root of a checkout.

/// The name of a file relative to the root of the checkout, if the folder below it is given.
pub(super) fn in_checkout(folder: &str, file: &str) -> String {
    if folder.is_empty() || file.starts_with('/') {
        return file.to_owned();
    }
    let mut path: Vec<_> = folder.split('/').collect();
    let mut rest = file;
    while let Some(above) = rest.strip_prefix("../").filter(|_| !path.is_empty()) {
        path.pop();
        rest = above;
    }
    path.push(rest);
    path.join("/")
}
