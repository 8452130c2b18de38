/// A transport: sends an encoded request to a service's method, and returns the encoded response.
pub trait Call: ::core::marker::Sync {
    /// An error of the transport; a status is an answer of the peer.
    type Error: ::core::convert::From<Status>;

    /// Calls `method` of the service with the full name `service`.
    fn call(
        &self,
        service: &'static str,
        method: &'static str,
        payload: ::prost::alloc::vec::Vec<u8>,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<::prost::alloc::vec::Vec<u8>, Self::Error>,
    > + ::core::marker::Send;
}
