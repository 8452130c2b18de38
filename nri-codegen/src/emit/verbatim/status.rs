/// An error answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The kind of error.
    pub code: Code,
    /// A description for people.
    pub message: ::prost::alloc::string::String,
}

impl Status {
    /// Creates a status with this code.
    pub fn new(
        code: Code,
        message: impl ::core::convert::Into<::prost::alloc::string::String>,
    ) -> Status {
        Status { code, message: message.into() }
    }
}

impl ::core::fmt::Display for Status {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::write!(f, "{} (code {})", self.message, self.code.0)
    }
}

impl ::core::error::Error for Status {}
