//! Go's protobuf library, as a process that decodes.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use nri_compat::diff::wire::{Arrival, Effect};
use nri_tests::peers;
use prost_reflect::MessageDescriptor;

use super::{Decoder, Side};

pub(super) struct Go {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Go {
    pub(super) fn start() -> Self {
        let mut process = Command::new(peers::transfer())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the peer starts");
        Self {
            input: process.stdin.take().expect("piped"),
            output: process.stdout.take().expect("piped"),
            process,
        }
    }

    fn write(&mut self, kind: u8, first: &[u8], second: &[u8]) {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("small").to_be_bytes();
        let frame = [&[kind][..], &length(first), first, &length(second), second].concat();
        self.input.write_all(&frame).expect("the peer reads");
    }
}

impl Go {
    fn answer(&mut self) -> Option<Vec<u8>> {
        let mut head = [0; 5];
        self.output.read_exact(&mut head).expect("the peer answers");
        let [decoded, length @ ..] = head;
        let mut bytes = vec![0; usize::try_from(u32::from_be_bytes(length)).expect("small")];
        self.output.read_exact(&mut bytes).expect("the peer answers");
        (decoded == 1).then_some(bytes)
    }
}

impl Drop for Go {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Decoder for Go {
    fn arrival(&self, effect: &Effect) -> Arrival {
        effect.go
    }

    fn wants_required(&self) -> bool {
        true
    }

    fn use_schema(&mut self, side: &Side) -> bool {
        self.write(b'S', &side.set, b"");
        self.answer().is_some()
    }

    fn decode(&mut self, receiver: &MessageDescriptor, message: &[u8]) -> Option<Vec<u8>> {
        self.write(b'M', receiver.full_name().as_bytes(), message);
        self.answer()
    }
}
