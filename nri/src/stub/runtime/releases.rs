//! @generated from protos/runtimes.toml. Do not edit.

/// Major, minor and patch of the first release that links the NRI release after it, and that one.
pub(super) type Release = ((u64, u64, u64), &'static str);

/// What the runtimes call themselves, and their releases in order of version, for those that speak ttrpc.
pub(super) static RUNTIMES: &[(&[&str], &[Release])] = &[
    (
        &["containerd", "v2"],
        &[
            ((1, 7, 0), "v0.3.0"),
            ((1, 7, 7), "v0.4.0"),
            ((1, 7, 14), "v0.6.0"),
            ((1, 7, 16), "v0.6.1"),
            ((1, 7, 26), "v0.8.0"),
            ((2, 2, 0), "v0.10.0"),
            ((2, 2, 1), "v0.11.0"),
            ((2, 3, 0), "v0.12.0"),
            ((2, 4, 0), "v0.12.3"),
        ],
    ),
    (
        &["cri-o"],
        &[
            ((1, 26, 0), "v0.2.0"),
            ((1, 26, 2), "v0.3.0"),
            ((1, 26, 4), "v0.3.1-0.20230504231226-94185418e253"),
            ((1, 27, 0), "v0.3.0"),
            ((1, 27, 1), "v0.3.1-0.20230504231226-94185418e253"),
            ((1, 29, 0), "v0.5.0"),
            ((1, 29, 2), "v0.6.0"),
            ((1, 31, 0), "v0.6.1"),
            ((1, 32, 0), "v0.9.0"),
            ((1, 33, 0), "v0.9.1-0.20250219030224-e597e7849f24"),
            ((1, 34, 0), "v0.10.0"),
            ((1, 35, 0), "v0.11.0"),
        ],
    ),
];
