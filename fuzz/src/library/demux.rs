//! Any bytes, in one piece or cut, give the same messages and the same error, and bounded memory.

use nri::__private::wire::{Demux, Message, RequestEnvelope, ResponseEnvelope};
use nri::codec::Message as _;
use nri::wire::Channels;

/// Runs the target once.
pub(crate) fn run(input: (u8, &[u8])) {
    let (size, bytes) = input;
    let whole = read([bytes]);
    let cut = read(bytes.chunks(usize::from(size).max(1)));
    assert_eq!(whole, cut);
}

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Message>, Option<String>) {
    let mut demux = Demux::new(Channels::PLUGIN.ids());
    let mut messages = Vec::new();
    let mut fed = 0;
    for piece in pieces {
        demux.extend(piece);
        fed += piece.len();
        loop {
            match demux.next_message() {
                Ok(Some(message)) => messages.push(decoded(message)),
                Ok(None) => break,
                Err(error) => return (messages, Some(error.to_string())),
            }
        }
        assert!(demux.held() <= 4 * fed + 1024, "{} held for {fed}", demux.held());
    }
    (messages, demux.check_end().err().map(|error| error.to_string()))
}

/// Decodes what the message may be, only to see that this ends well; what decodes must encode
/// again.
fn decoded(message: Message) -> Message {
    if let Ok(request) = RequestEnvelope::decode(message.data.clone()) {
        assert_eq!(RequestEnvelope::decode(&request.encode_to_vec()[..]), Ok(request));
    }
    if let Ok(response) = ResponseEnvelope::decode(message.data.clone()) {
        assert_eq!(ResponseEnvelope::decode(&response.encode_to_vec()[..]), Ok(response));
    }
    message
}
