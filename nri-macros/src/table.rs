// @generated

/// One RPC of the Plugin service.
pub(crate) struct Rpc {
    /// Its name, and that of its handler trait.
    pub(crate) name: &'static str,
    /// The name of its constants; also that of its event.
    pub(crate) constant: &'static str,
    /// The release that brought its event; `None` for an RPC that carries none of its own.
    pub(crate) event_since: Option<&'static str>,
    /// Whether StateChange carries the event too.
    pub(crate) in_state_change: bool,
    /// Whether the RPC is deprecated.
    pub(crate) deprecated: bool,
}

/// Every RPC of the Plugin service, in the order of the proto.
pub(crate) const RPCS: &[Rpc] = &[
    Rpc {
        name: "Configure",
        constant: "CONFIGURE",
        event_since: None,
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "Synchronize",
        constant: "SYNCHRONIZE",
        event_since: None,
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "Shutdown",
        constant: "SHUTDOWN",
        event_since: None,
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "RunPodSandbox",
        constant: "RUN_POD_SANDBOX",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "UpdatePodSandbox",
        constant: "UPDATE_POD_SANDBOX",
        event_since: Some("v0.9.1-0.20250219030224-e597e7849f24"),
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "PostUpdatePodSandbox",
        constant: "POST_UPDATE_POD_SANDBOX",
        event_since: Some("v0.9.1-0.20250219030224-e597e7849f24"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "StopPodSandbox",
        constant: "STOP_POD_SANDBOX",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "RemovePodSandbox",
        constant: "REMOVE_POD_SANDBOX",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "CreateContainer",
        constant: "CREATE_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "PostCreateContainer",
        constant: "POST_CREATE_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "StartContainer",
        constant: "START_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "PostStartContainer",
        constant: "POST_START_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "UpdateContainer",
        constant: "UPDATE_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "PostUpdateContainer",
        constant: "POST_UPDATE_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "StopContainer",
        constant: "STOP_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: false,
        deprecated: false,
    },
    Rpc {
        name: "RemoveContainer",
        constant: "REMOVE_CONTAINER",
        event_since: Some("v0.2.0"),
        in_state_change: true,
        deprecated: false,
    },
    Rpc {
        name: "StateChange",
        constant: "STATE_CHANGE",
        event_since: None,
        in_state_change: false,
        deprecated: true,
    },
    Rpc {
        name: "ValidateContainerAdjustment",
        constant: "VALIDATE_CONTAINER_ADJUSTMENT",
        event_since: Some("v0.10.0"),
        in_state_change: false,
        deprecated: false,
    },
];

/// Every tagged release of NRI with this API, oldest first.
pub(crate) const RELEASES: &[&str] = &[
    "v0.2.0", "v0.3.0", "v0.4.0", "v0.5.0", "v0.6.0", "v0.6.1", "v0.7.0", "v0.8.0", "v0.9.0",
    "v0.10.0", "v0.11.0", "v0.12.0", "v0.12.1", "v0.12.2", "v0.12.3", "v0.12.4", "v0.12.5",
];
