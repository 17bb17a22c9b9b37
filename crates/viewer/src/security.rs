//! Who may ask, and what may be reached: tokens, hosts, origins, headers, paths and limits.
//!
//! A page of any other site can send requests to a server on the loopback address, and a name of its own can be made to
//! point there. So requests must come with the token, under a name of this machine, and from a page of this server.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Component, Path, PathBuf},
};

use axum::http::{HeaderMap, HeaderValue, header};

use crate::protocol::Refusal;

/// Largest message of a page (bytes): base64 of the largest upload, and some room for what stands around it.
pub(crate) const MESSAGE_BYTES: usize = UPLOAD_BYTES / 3 * 4 + (1 << 20);
/// Largest upload (bytes).
pub(crate) const UPLOAD_BYTES: usize = 64 << 20;
/// Most blocks of a model.
pub(crate) const BLOCKS: usize = 20_000;
/// Most steps of a simulation.
pub(crate) const STEPS: usize = 200_000;
/// Memory for the frames of simulations of one socket (bytes).
pub(crate) const FRAME_BYTES: usize = 1 << 30;
/// Sockets at one time.
pub(crate) const SOCKETS: usize = 16;

/// A secret that a page shows to be let in.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// A new one of 128 random bits.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        Ok(Self(random_name()?))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a query (`token=...&...`) has it. Takes as long for every wrong token of the right length.
    pub(crate) fn is_in(&self, query: Option<&str>) -> bool {
        let given = query
            .unwrap_or_default()
            .split('&')
            .find_map(|pair| pair.strip_prefix("token="))
            .unwrap_or_default();
        let (given, own) = (given.as_bytes(), self.0.as_bytes());
        let differing = given.iter().zip(own).fold(0, |all, (a, b)| all | (a ^ b));
        given.len() == own.len() && std::hint::black_box(differing) == 0
    }
}

/// A name that nobody guesses.
pub(crate) fn random_name() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Names under which the server answers, each with its port.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    pub(crate) fn of(address: SocketAddr) -> Self {
        let port = address.port();
        let mut names = vec![address.to_string()];
        let is_local = address.ip().is_loopback() || address.ip().is_unspecified();
        if is_local {
            names.extend(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        if port == 80 {
            let bare: Vec<String> = names.iter().map(|n| n.trim_end_matches(":80").to_string()).collect();
            names.extend(bare);
        }
        Self(names)
    }

    /// Whether a name is one of them. A server on all addresses also answers to any address by number: names, which others
    /// can make point here, are what must be refused.
    fn knows(&self, host: &str) -> bool {
        let is_known = self.0.iter().any(|name| name.eq_ignore_ascii_case(host));
        let everywhere = self.0.first().and_then(|n| n.parse::<SocketAddr>().ok());
        let port = everywhere.filter(|own| own.ip().is_unspecified()).map(|own| own.port());
        is_known || (port.is_some() && port == port_of(host))
    }

    /// Why a request is refused, if it is.
    pub(crate) fn refuse(&self, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name: header::HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or_default());
        if !text(header::HOST).is_some_and(|host| self.knows(host)) {
            return Some("its Host is none of this server's names");
        }
        match text(header::ORIGIN) {
            Some(origin) if !origin.strip_prefix("http://").is_some_and(|host| self.knows(host)) => {
                Some("its Origin is another page")
            }
            _ => None,
        }
    }
}

/// The port of an address by number. Browsers leave out that of the web.
fn port_of(host: &str) -> Option<u16> {
    const WEB: u16 = 80;
    let bare = || match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<Ipv4Addr>().is_ok(),
    };
    match host.parse::<SocketAddr>() {
        Ok(address) => Some(address.port()),
        Err(_) => bare().then_some(WEB),
    }
}

/// Whether only this machine can reach an address.
pub fn is_private(host: IpAddr) -> bool {
    host.is_loopback()
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: \
                      data:; connect-src 'self'; font-src 'self'; worker-src 'self' blob:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
pub(crate) fn set_headers(headers: &mut HeaderMap) {
    let all = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The folder that a server was opened on: nothing outside it is read or written.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            root: path.canonicalize()?,
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn name(&self) -> String {
        let name = self.root.file_name().unwrap_or(self.root.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// A file or folder that is there.
    pub(crate) fn existing(&self, path: &str) -> Result<PathBuf, Refusal> {
        let whole = self.root.join(plain(path)?);
        let place = whole
            .canonicalize()
            .map_err(|e| Refusal::new(format!("`{path}`: {e}")))?;
        self.inside(path, place)
    }

    /// A file that another one names, from its own folder on (`from`, empty for the opened one). It may be in another
    /// folder, but not outside the opened one.
    pub(crate) fn beside(&self, from: &str, path: &str) -> Result<PathBuf, Refusal> {
        let start = if from.is_empty() {
            self.root.clone()
        } else {
            self.existing(from)?
        };
        if Path::new(path).is_absolute() || path.contains('\0') {
            let what = format!("`{path}` is no path in the opened folder");
            return Err(Refusal::new(what).help("name files from the model's folder on"));
        }
        let place = start.join(path);
        let place = place
            .canonicalize()
            .map_err(|e| Refusal::new(format!("`{path}`, named by the model: {e}")))?;
        self.inside(path, place)
    }

    /// A place for a file, which need not be there yet. Its folder must be.
    pub(crate) fn place(&self, path: &str) -> Result<PathBuf, Refusal> {
        let whole = self.root.join(plain(path)?);
        let (Some(folder), Some(name)) = (whole.parent(), whole.file_name()) else {
            return Err(Refusal::new(format!("`{path}` names no file")));
        };
        let folder = folder
            .canonicalize()
            .map_err(|e| Refusal::new(format!("`{path}`: {e}")))?;
        let target = self.inside(path, folder)?.join(name);
        // A link that is there already would be written through.
        match target.symlink_metadata() {
            Ok(found) if found.is_symlink() => self.existing(path),
            Ok(found) if found.is_dir() => Err(Refusal::new(format!("`{path}` is a folder"))),
            _ => Ok(target),
        }
    }

    /// Refuses a file outside of it; a path that is not absolute is looked for as whoever opens it would.
    pub(crate) fn holds(&self, path: &Path) -> Result<(), Refusal> {
        let name = path.display().to_string();
        let place = path
            .canonicalize()
            .map_err(|e| Refusal::new(format!("`{name}`: {e}")))?;
        self.inside(&name, place).map(drop)
    }

    fn inside(&self, path: &str, place: PathBuf) -> Result<PathBuf, Refusal> {
        if place.starts_with(&self.root) {
            return Ok(place);
        }
        log::debug!("refused: `{path}` leads out of the folder");
        Err(Refusal::new(format!("`{path}` leads out of the opened folder")))
    }
}

/// A path of names alone: not absolute, and without steps up.
fn plain(path: &str) -> Result<&Path, Refusal> {
    let is_plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
    let parts = Path::new(path);
    if path.is_empty() || path.contains(['\0', '\\']) || !parts.components().all(is_plain) {
        log::debug!("refused: `{path}` is no path in the folder");
        let what = format!("`{path}` is no path in the opened folder");
        return Err(Refusal::new(what).help("name files from that folder on, without `..`"));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_counts_only_whole() {
        let token = Token("abcd".into());
        assert!(token.is_in(Some("x=1&token=abcd")));
        for wrong in ["token=abc", "token=abcde", "token=abce", "token=", "xtoken=abcd", ""] {
            assert!(!token.is_in(Some(wrong)), "{wrong}");
        }
        assert!(!token.is_in(None));
        assert_ne!(Token::random().unwrap().text(), Token::random().unwrap().text());
    }

    #[test]
    fn names_of_other_machines_are_refused() {
        let hosts = Hosts::of("127.0.0.1:8080".parse().unwrap());
        for name in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            assert!(hosts.knows(name), "{name}");
        }
        for name in [
            "localhost",
            "127.0.0.1:80",
            "evil.example:8080",
            "127.0.0.1.evil.example:8080",
            "",
        ] {
            assert!(!hosts.knows(name), "{name}");
        }
        let everywhere = Hosts::of("0.0.0.0:8080".parse().unwrap());
        assert!(everywhere.knows("192.168.1.4:8080") && everywhere.knows("localhost:8080"));
        assert!(!everywhere.knows("192.168.1.4:80") && !everywhere.knows("evil.example:8080"));
        assert!(!everywhere.knows("192.168.1.4") && !everywhere.knows("[fe80::1]"));
    }

    #[test]
    fn the_port_of_the_web_may_be_left_out() {
        for address in ["0.0.0.0:80", "[::]:80"] {
            let hosts = Hosts::of(address.parse().unwrap());
            for name in [
                "192.168.1.4",
                "192.168.1.4:80",
                "[fe80::1]",
                "[fe80::1]:80",
                "localhost",
                "127.0.0.1",
            ] {
                assert!(hosts.knows(name), "{address} as {name}");
            }
            for name in [
                "evil.example",
                "192.168.1.4:8080",
                "192.168.1.4.evil.example",
                "fe80::1",
            ] {
                assert!(!hosts.knows(name), "{address} as {name}");
            }
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("192.168.1.4"));
            headers.insert(header::ORIGIN, HeaderValue::from_static("http://192.168.1.4"));
            assert_eq!(hosts.refuse(&headers), None);
            headers.insert(header::ORIGIN, HeaderValue::from_static("http://evil.example"));
            assert!(hosts.refuse(&headers).is_some());
        }
        let one = Hosts::of("192.168.1.4:80".parse().unwrap());
        assert!(one.knows("192.168.1.4") && !one.knows("192.168.1.5") && !one.knows("localhost"));
    }
}
