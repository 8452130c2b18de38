//! The platforms of an image that are checked.

use std::fmt;

use crate::check::collect::archive::Platform;

/// The platforms to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Platforms {
    /// Every Linux platform, and images that state none.
    Linux,
    Only(Platform),
}

impl Platforms {
    /// Parses the value of `--platform`: `linux/arm64`, `linux/arm/v7`. An architecture may also have the name
    /// that `uname` gives to it.
    pub(super) fn parse(asked: Option<&str>) -> Result<Self, String> {
        let Some(text) = asked else {
            return Ok(Self::Linux);
        };
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let (os, architecture, variant) = match parts.as_slice() {
            [os, architecture] => (*os, *architecture, None),
            [os, architecture, variant] => (*os, *architecture, Some((*variant).to_owned())),
            _ => return Err(not_a_platform(text)),
        };
        let architecture = match architecture {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            known => known,
        };
        Ok(Self::Only(Platform {
            os: os.to_owned(),
            architecture: architecture.to_owned(),
            variant,
        }))
    }

    /// Returns true if an image for this platform is checked. One without a variant is for all of them.
    pub(super) fn wants(&self, stated: &Platform) -> bool {
        if stated.os.is_empty() || stated.architecture.is_empty() {
            return true;
        }
        match self {
            Self::Linux => stated.os == "linux",
            Self::Only(wanted) => {
                let stated_variant = stated
                    .variant
                    .as_ref()
                    .filter(|variant| !variant.is_empty());
                let variants = wanted.variant.as_ref().zip(stated_variant);
                wanted.os == stated.os
                    && wanted.architecture == stated.architecture
                    && variants.is_none_or(|(one, other)| one == other)
            }
        }
    }
}

fn not_a_platform(text: &str) -> String {
    let shown = crate::escape::bytes(text.as_bytes());
    format!("`{shown}` is not a platform; write OS/ARCHITECTURE[/VARIANT], such as linux/arm64")
}

impl fmt::Display for Platforms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linux => f.write_str("Linux"),
            Self::Only(platform) => platform.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_without_variant_means_all_of_them() {
        for (asked, stated, wanted) in [
            (None, ["linux", "riscv64", ""], true),
            (None, ["windows", "amd64", ""], false),
            (None, ["", "", ""], true),
            (Some("linux/arm64"), ["linux", "arm64", "v8"], true),
            (Some("linux/aarch64/v8"), ["linux", "arm64", ""], true),
            (Some("linux/arm/v7"), ["linux", "arm", "v7"], true),
            (Some("linux/arm/v6"), ["linux", "arm", "v7"], false),
            (Some("linux/amd64"), ["linux", "arm64", ""], false),
            (Some("windows/amd64"), ["windows", "amd64", ""], true),
        ] {
            let [os, architecture, variant] = stated.map(str::to_owned);
            let variant = Some(variant);
            let platform = Platform {
                os,
                architecture,
                variant,
            };
            let platforms = Platforms::parse(asked).unwrap();
            assert_eq!(platforms.wants(&platform), wanted, "{asked:?} {platform}");
        }
        for text in ["", "linux", "linux/", "linux/amd64/v1/x"] {
            let error = Platforms::parse(Some(text)).unwrap_err();
            assert!(error.contains("is not a platform"), "{text}");
        }
    }
}
