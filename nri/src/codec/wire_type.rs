//! The encodings of fields.

/// The encoding of a field, which determines where its value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireType {
    /// A number of variable length.
    Varint = 0,
    /// Eight bytes.
    SixtyFourBit = 1,
    /// A length, followed by as many bytes.
    LengthDelimited = 2,
    /// The start of a group, an old form of messages.
    StartGroup = 3,
    /// The end of a group.
    EndGroup = 4,
    /// Four bytes.
    ThirtyTwoBit = 5,
}

impl WireType {
    /// All of them, in the order of their numbers.
    pub(super) const ALL: [Self; 6] = [
        Self::Varint,
        Self::SixtyFourBit,
        Self::LengthDelimited,
        Self::StartGroup,
        Self::EndGroup,
        Self::ThirtyTwoBit,
    ];
}
