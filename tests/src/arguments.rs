//! The arguments that every external plugin takes.

use lexopt::{Arg, Parser, ValueExt};

/// Socket, name and index of a plugin.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The socket of the runtime.
    pub socket: String,
    /// The name to register with.
    pub name: String,
    /// The index to register with.
    pub index: String,
}

impl Arguments {
    /// Reads the command line.
    ///
    /// # Errors
    ///
    /// Returns an error for an unknown argument or one without a value.
    pub fn parse() -> Result<Self, lexopt::Error> {
        let mut arguments = Self::default();
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("socket") => arguments.socket = parser.value()?.string()?,
                Arg::Long("name") => arguments.name = parser.value()?.string()?,
                Arg::Long("index") => arguments.index = parser.value()?.string()?,
                other => return Err(other.unexpected()),
            }
        }
        Ok(arguments)
    }
}
