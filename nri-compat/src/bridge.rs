//! The command line of `nri-bridge`, which runs in place of a plugin that cannot be rebuilt.

use crate::path::last_part;

/// The name of the program, also in its manifest.
pub(crate) const NAME: &str = "nri-bridge";

/// The option for a socket at which plugins connect by themselves.
const LISTEN: &str = "--listen";

/// The plugin that a bridge relays for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relayed {
    /// The program that it starts, as written: a path, or a name in `PATH`.
    Program(String),
    /// The plugins that connect to this socket.
    Socket(String),
    /// The plugin in the sibling folder, if a runtime launches the bridge.
    Beside,
}

impl Relayed {
    /// Reads a whole command line. Returns `None` if its program is not the bridge by its name.
    pub(crate) fn by_name<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let program = words.next()?;
        (last_part(program) == NAME).then(|| Self::by_arguments(words))
    }

    /// Reads the arguments of a bridge.
    pub(crate) fn by_arguments<'w>(mut words: impl Iterator<Item = &'w str>) -> Self {
        let mut socket = None;
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                Some(_) | None => (word, None),
            };
            match option {
                "--" => break,
                LISTEN => socket = value.or_else(|| words.next()),
                // Each option has a value.
                option if option.starts_with('-') => {
                    let _ = value.or_else(|| words.next());
                }
                program => return Self::Program(program.to_owned()),
            }
        }
        match (words.next(), socket) {
            (Some(program), _) => Self::Program(program.to_owned()),
            (None, Some(socket)) => Self::Socket(socket.to_owned()),
            (None, None) => Self::Beside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_follows_the_options() {
        let read = |line: &str| Relayed::by_name(line.split(' '));
        let old = Some(Relayed::Program("/old".to_owned()));
        assert_eq!(read("/nri-bridge/nri-bridge -- /old --listen x"), old);
        assert_eq!(read("nri-bridge --name old --index 10 -- /old"), old);
        assert_eq!(read("nri-bridge --name=old --http :80 /old -- x"), old);
        let socket = Some(Relayed::Socket("/run/b.sock".to_owned()));
        assert_eq!(read("nri-bridge --socket /s --listen /run/b.sock"), socket);
        assert_eq!(read("nri-bridge --listen=/run/b.sock"), socket);
        assert_eq!(read("/opt/nri-bridge"), Some(Relayed::Beside));
        assert_eq!(read("/nri-bridge/sh -- /old"), None);
    }
}
