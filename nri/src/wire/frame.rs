//! The two headers on the wire: those of a mux frame and of a ttrpc message. All numbers are big
//! endian.

/// Length of a mux frame header in bytes.
pub const FRAME_HEADER_LEN: usize = 8;

/// Length of a ttrpc message header in bytes.
pub const MESSAGE_HEADER_LEN: usize = 10;

/// Largest mux payload that may hold a ttrpc header and its data in one frame: the size of the
/// buffer through which a Go peer's
/// [channel](https://github.com/containerd/ttrpc/blob/v1.2.7/channel.go) reads.
pub(crate) const GO_READ_BUFFER: usize = 4096;

/// Header of a mux frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    /// Logical connection that the payload belongs to.
    pub connection: u32,
    /// Length of the payload in bytes.
    pub length: u32,
}

impl FrameHeader {
    /// Decodes the header.
    pub fn decode(bytes: [u8; FRAME_HEADER_LEN]) -> Self {
        let [a, b, c, d, e, f, g, h] = bytes;
        Self {
            connection: u32::from_be_bytes([a, b, c, d]),
            length: u32::from_be_bytes([e, f, g, h]),
        }
    }

    /// Encodes the header.
    pub fn encode(self) -> [u8; FRAME_HEADER_LEN] {
        let [a, b, c, d] = self.connection.to_be_bytes();
        let [e, f, g, h] = self.length.to_be_bytes();
        [a, b, c, d, e, f, g, h]
    }
}

/// The type of a ttrpc message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Opens a stream and expects an answer.
    Request,
    /// Answers a request and ends its stream.
    Response,
    /// Data of a streaming call. NRI has no streaming calls.
    Data,
    /// Any other type.
    Other(u8),
}

impl From<u8> for Kind {
    fn from(byte: u8) -> Self {
        match byte {
            1 => Self::Request,
            2 => Self::Response,
            3 => Self::Data,
            other => Self::Other(other),
        }
    }
}

impl From<Kind> for u8 {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Request => 1,
            Kind::Response => 2,
            Kind::Data => 3,
            Kind::Other(other) => other,
        }
    }
}

/// Header of a ttrpc message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageHeader {
    /// Length of the data in bytes, without this header.
    pub length: u32,
    /// Stream that the message belongs to. Clients open odd ones.
    pub stream: u32,
    /// Type of the message.
    pub kind: Kind,
    /// Flags. They matter to streaming calls only.
    pub flags: u8,
}

impl MessageHeader {
    /// Decodes the header.
    pub fn decode(bytes: [u8; MESSAGE_HEADER_LEN]) -> Self {
        let [a, b, c, d, e, f, g, h, kind, flags] = bytes;
        Self {
            length: u32::from_be_bytes([a, b, c, d]),
            stream: u32::from_be_bytes([e, f, g, h]),
            kind: kind.into(),
            flags,
        }
    }

    /// Encodes the header.
    pub fn encode(self) -> [u8; MESSAGE_HEADER_LEN] {
        let [a, b, c, d] = self.length.to_be_bytes();
        let [e, f, g, h] = self.stream.to_be_bytes();
        [a, b, c, d, e, f, g, h, self.kind.into(), self.flags]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_big_endian() {
        let frame = FrameHeader { connection: 1, length: 0x0102_0304 };
        assert_eq!(frame.encode(), [0, 0, 0, 1, 1, 2, 3, 4]);
        assert_eq!(FrameHeader::decode(frame.encode()), frame);

        let message = MessageHeader { length: 258, stream: 3, kind: Kind::Response, flags: 4 };
        assert_eq!(message.encode(), [0, 0, 1, 2, 0, 0, 0, 3, 2, 4]);
        assert_eq!(MessageHeader::decode(message.encode()), message);
    }

    #[test]
    fn every_kind_byte_survives() {
        for byte in 0..=u8::MAX {
            assert_eq!(u8::from(Kind::from(byte)), byte);
        }
    }
}
