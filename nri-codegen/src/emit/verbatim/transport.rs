/// A transport: sends an encoded request to a service's method, and returns the encoded response.
pub trait Call: ::core::marker::Sync {
    /// What can go wrong on the way; a status is what the peer answers.
    type Error: ::core::convert::From<Status>;

    /// Calls `method` of `service`, which is a full name.
    fn call(
        &self,
        service: &'static str,
        method: &'static str,
        payload: ::prost::alloc::vec::Vec<u8>,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<::prost::alloc::vec::Vec<u8>, Self::Error>,
    > + ::core::marker::Send;
}
