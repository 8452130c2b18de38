//! The platforms of an image that are checked: one, or every Linux platform.

use crate::check::collect::archive::Platform;

/// Parses the value of `--platform`: `linux/arm64`, `linux/arm/v7`. An architecture may also have the name
/// that `uname` gives to it.
pub(super) fn parse(text: &str) -> Result<Platform, String> {
    let mut parts = text.split('/').filter(|part| !part.is_empty());
    let (Some(os), Some(architecture), variant, None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        let shown = crate::escape::bytes(text.as_bytes());
        return Err(format!(
            "`{shown}` is not a platform; write OS/ARCHITECTURE[/VARIANT], such as linux/arm64"
        ));
    };
    let architecture = match architecture {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        known => known,
    };
    Ok(Platform {
        os: os.to_owned(),
        architecture: architecture.to_owned(),
        variant: variant.map(str::to_owned),
    })
}

/// Returns true if an image for the `stated` platform is checked: for that which was asked for, else for Linux. One
/// without a variant is for all of them.
pub(super) fn is_wanted(stated: &Platform, asked: Option<&Platform>) -> bool {
    if stated.os.is_empty() || stated.architecture.is_empty() {
        return true;
    }
    let Some(asked) = asked else {
        return stated.os == "linux";
    };
    let variant = stated.variant.as_ref();
    let variant = variant.filter(|variant| !variant.is_empty());
    let variants = asked.variant.as_ref().zip(variant);
    asked.os == stated.os
        && asked.architecture == stated.architecture
        && variants.is_none_or(|(one, other)| one == other)
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
            let stated = Platform {
                os,
                architecture,
                variant,
            };
            let platform = asked.map(|asked| parse(asked).unwrap());
            let found = is_wanted(&stated, platform.as_ref());
            assert_eq!(found, wanted, "{asked:?} {stated}");
        }
        for text in ["", "linux", "linux/", "linux/amd64/v1/x"] {
            assert!(parse(text).unwrap_err().contains("is not a platform"));
        }
    }
}
