//! Any bytes as each message that a peer sends: it is refused, or what was decoded is encoded to
//! the same message again.

use std::fmt::Debug;

use nri::api;
use nri::codec::Message;

/// Decodes a message from bytes.
type Decode = fn(&[u8]);

fn decode<M: Message + Debug + PartialEq>(bytes: &[u8]) {
    if let Ok(message) = M::decode(bytes) {
        assert_eq!(M::decode(message.encode_to_vec()), Ok(message));
    }
}

/// Decoders of messages.
macro_rules! decoders {
    ($($message:ident)*) => { &[$(decode::<api::$message>),*] };
}

/// Those that hold others, in both directions.
#[allow(deprecated, reason = "older runtimes send StateChange")]
const DECODERS: &[Decode] = decoders! {
    RegisterPluginRequest UpdateContainersRequest UpdateContainersResponse ConfigureRequest
    ConfigureResponse SynchronizeRequest SynchronizeResponse UpdatePodSandboxRequest
    CreateContainerRequest CreateContainerResponse UpdateContainerRequest UpdateContainerResponse
    StopContainerRequest StopContainerResponse StateChangeEvent ValidateContainerAdjustmentRequest
    ValidateContainerAdjustmentResponse LogRequest
};

/// Runs the target once.
pub(crate) fn run(input: (u8, &[u8])) {
    let (which, bytes) = input;
    DECODERS[usize::from(which) % DECODERS.len()](bytes);
}
