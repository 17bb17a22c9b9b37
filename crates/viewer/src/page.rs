//! The page itself: files that the build put into the program.

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A file of the page by its path, and what it is.
pub(crate) fn file(path: &str) -> Option<(&'static [u8], &'static str)> {
    let path = if path.is_empty() { "index.html" } else { path };
    let found = FILES.iter().find(|(name, _)| *name == path)?;
    Some((found.1, kind(path)))
}

/// The media type of a file by its ending.
pub(crate) fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "map" => "application/json",
        "csv" => "text/csv; charset=utf-8",
        "glb" => "model/gltf-binary",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
