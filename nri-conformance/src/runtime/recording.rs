//! The runtime's side of a recording, judged by the statements about the order of events.
//!
//! A recording has no requests of a CRI client and no state of the node, so that the other statements do not apply. Each
//! connection of the recording is judged on its own.
//!
//! ```no_run
//! use nri_conformance::runtime::recording;
//!
//! let report = recording::judge("session.nri", |_statement| true)?;
//! report.assert();
//! # Ok::<(), nri_conformance::record::Error>(())
//! ```

mod connection;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use super::deviations;
use super::judgement::judged;
use super::order;
use super::sequence::Sequence;
use crate::record::{Error, ErrorKind, Reader, Result};
use crate::result::{Report, Subject};
use connection::Connection;

/// The maximum number of events of a recording that are judged.
pub const MAX_EVENTS: usize = 1_000_000;

/// Judges the runtime of a recording by the statements that `selects` returns true for.
///
/// # Errors
///
/// Returns the errors of [`Reader`], and [`ErrorKind::TooLarge`] if the recording has more than [`MAX_EVENTS`] events.
pub fn judge(recording: impl AsRef<Path>, selects: impl Fn(&str) -> bool) -> Result<Report> {
    let path = recording.as_ref();
    judge_reader(Reader::open(path)?, selects).map_err(|error| error.in_file(path))
}

/// Judges the runtime of a recording that is not in a file.
///
/// # Errors
///
/// Returns the errors of [`judge`].
pub fn judge_reader(
    mut reader: Reader<impl BufRead>,
    selects: impl Fn(&str) -> bool,
) -> Result<Report> {
    let sequences = sequences(&mut reader)?;
    let header = reader.header().clone();
    let (name, version) = (header.runtime, header.runtime_version);
    let subject = Subject::runtime(name.unwrap_or_default(), version.unwrap_or_default());
    let results = deviations::mark(&subject, judged(order::TESTS, selects, Ok(&sequences)));
    Ok(Report { subject, results })
}

fn sequences(reader: &mut Reader<impl BufRead>) -> Result<Vec<Sequence>> {
    let mut connections: BTreeMap<u32, Connection> = BTreeMap::new();
    let mut events = 0;
    while let Some(frame) = reader.next_frame()? {
        let connection = connections.entry(frame.connection).or_default();
        events += usize::from(connection.add(frame.at, frame.event));
        if events > MAX_EVENTS {
            return Err(too_many());
        }
    }
    Ok(connections
        .into_iter()
        .flat_map(|(number, connection)| connection.sequences(number))
        .collect())
}

fn too_many() -> Error {
    let message = format!("the recording has more than {MAX_EVENTS} events");
    Error::new(ErrorKind::TooLarge, message)
        .with_help("remove the frames of some connections, and correct `frames` in the last line")
}
