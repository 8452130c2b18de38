//! The ways in which the plugin can break the contract.

macro_rules! mutations {
    ($($(#[doc = $doc:literal])+ $name:ident = $argument:literal,)*) => {
        /// A violation of the contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mutation {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Mutation {
            /// The name of each mutation: the statement that it breaks, and what tells it apart
            /// from others.
            pub(crate) const NAMES: &[&str] = &[$($argument),*];

            /// Returns the mutation with this name.
            pub(crate) fn of(argument: &str) -> Option<Self> {
                match argument {
                    $($argument => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

mutations! {
    /// Breaks nothing.
    None = "",
    /// Registers with an index of one digit.
    IndexOfOneDigit = "W1",
    /// Registers with a name that has a space in it.
    NameWithSpace = "W1-name",
    /// Subscribes to an event that no runtime knows.
    UnknownEvent = "W2",
    /// Subscribes with 0, which means all events, and implements fewer.
    EverythingWithoutImplementing = "W2-zero",
    /// Answers RPCs that it does not implement with NOT_FOUND.
    NotFound = "W3",
    /// Answers RPCs that it does not implement with success.
    Success = "W3-success",
    /// Answers a dedicated RPC that it lacks with NOT_FOUND, and accepts the event as StateChange.
    NotFoundForSubscribed = "W3-subscribed",
    /// Never registers.
    NeverRegisters = "W1-never",
    /// Loops when the runtime breaks the protocol.
    LoopsAtBreach = "W18-loop",
    /// Needs the timeouts that runtimes since v0.7.0 send.
    NeedsTimeouts = "W12-timeouts",
    /// Refuses one event as StateChange.
    RefusesStateChange = "W4",
    /// Has no RPC and no StateChange for an event that it subscribes to.
    LacksEvent = "W4-lacks",
    /// Refuses StateChange on a connection that has carried dedicated RPCs.
    OneWayPerConnection = "W5",
    /// Refuses unknown events.
    RefusesUnknownEvents = "W6",
    /// Refuses pods without the part for Linux.
    NeedsLinux = "W19",
    /// Refuses requests with unknown fields.
    RefusesUnknownFields = "W7",
    /// Ends at a request without a pod.
    NeedsPod = "W19-pod",
    /// Refuses messages above 1 MiB.
    RefusesLargeMessages = "W8",
    /// Ends when a frame holds a part of a message header.
    NeedsWholeHeader = "W8-cut",
    /// Does not set `more` in its answers to Synchronize.
    ForgetsMore = "Y2",
    /// Answers some requests twice.
    AnswersTwice = "W10",
    /// Answers every 500th event twice.
    RarelyAnswersTwice = "W10-rare",
    /// Is slow to answer each request when several are waiting.
    SlowUnderLoad = "W11",
    /// Refuses runtimes of an unknown version.
    NeedsRuntimeVersion = "W12",
    /// Adds the same mount twice.
    DuplicateMount = "W13",
    /// Sends updates inside a handler, and waits for the answer.
    UpdatesInHandler = "W14",
    /// Ends when an update fails.
    EndsWhenUpdateFails = "W14-ends",
    /// Keeps running when the connection has ended.
    RunsOnWithoutConnection = "W15",
    /// Does not reconnect.
    StaysAway = "W15-away",
    /// Reconnects without a pause.
    ReconnectsAtOnce = "W15-backoff",
    /// Needs a quarter of a second for its first event, in which SIGTERM ends it.
    SlowAtFirst = "W16-cut",
    /// Keeps files open for each connection.
    KeepsConnections = "W17-connections",
    /// Keeps memory for each event.
    LeaksMemory = "W17",
    /// Keeps a file open for every twentieth event.
    LeaksDescriptors = "W17-files",
    /// Panics when the runtime breaks the protocol.
    PanicsAtBreach = "W18",
    /// Removes pods only in the order in which they were run.
    RemovesInOrder = "P3",
    /// Deletes the network namespace of a removed pod.
    DeletesNamespace = "P4",
    /// Takes longer for an event than the request timeout.
    Late = "P5",
    /// Takes longer than the request timeout for every 500th event.
    RarelyLate = "P5-rare",
    /// Ends at the 500th event.
    RarelyEnds = "W4-rare",
    /// Ends at the 5,000th event.
    SeldomEnds = "W4-seldom",
    /// Ends at the 150,000th event.
    EndsInSoak = "W4-soak",
    /// Refuses every 500th event.
    RarelyRefuses = "W4-refuses",
    /// Gives every 500th event an answer that cannot be decoded.
    RarelyUnreadable = "W4-unreadable",
    /// Takes longer than the request timeout for a pod that is not the only one.
    LateForSecondPod = "P5-second",
    /// Ends at an event of a pod that is not the only one.
    EndsAtSecondPod = "W4-second",
    /// Refuses an event of a pod that is not the only one.
    RefusesSecondPod = "W4-second-refuses",
    /// Ends when another request waits.
    EndsUnderLoad = "W4-load",
    /// Refuses an event when another one waits.
    RefusesUnderLoad = "W4-load-refuses",
    /// Takes longer than the request timeout when another request waits, once in 500.
    RarelyLateUnderLoad = "W11-rare",
    /// Answers Configure with an error.
    RefusesConfigure = "P6",
    /// Refuses to stop a pod a second time.
    StopsOnce = "P7",
    /// Refuses to stop or remove pods that it has not seen run.
    NeedsRun = "P8",
    /// Refuses to run a pod again before it is removed.
    RunsOnce = "P9",
}
