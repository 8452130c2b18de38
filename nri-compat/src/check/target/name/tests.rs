use super::*;

fn reduced(text: &str) -> (String, String) {
    let name = ReleaseName::parse(text).expect(text);
    (name.spec(), name.suffix)
}

/// The text that a machine prints, the release that it names, and the suffix of its version.
const NAMES: &str = "\
containerd@2.2.1 | containerd@2.2.1 |
containerd@v2.2 | containerd@2.2 |
containerd://2.4.2+unknown | containerd@2.4.2 | +unknown
containerd://2.2.1-k3s1 | containerd@2.2.1 | -k3s1
containerd@2.1.5-k3s1.32 | containerd@2.1.5 | -k3s1.32
containerd://1.7.27+azure | containerd@1.7.27 | +azure
containerd@1.7.24-0ubuntu1~24.04.2 | containerd@1.7.24 | -0ubuntu1~24.04.2
containerd.io@1.7.27-1 | containerd@1.7.27 | -1
cri-o://1.33.4 | cri-o@1.33.4 |
cri-o@1.33.4-3.rhaos4.20.git1234567.el9 | cri-o@1.33.4 | -3.rhaos4.20.git1234567.el9
crio@1.30.0~1 | cri-o@1.30.0 | ~1
containerd/v1.7.16 | containerd@1.7.16 |
containerd-1:2.1.4-1.el9.x86_64 | containerd@2.1.4 | -1.el9.x86_64
containerd 1:2.1.4-1 | containerd@2.1.4 | -1
containerd.io_1.7.27-1_amd64.deb | containerd@1.7.27 | -1_amd64.deb
containerd github.com/containerd/containerd/v2 v2.4.2 0123abc | containerd@2.4.2 |
containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u1 | containerd@1.6.20 | ~ds1
containerd@1.7.24~ds1 | containerd@1.7.24 | ~ds1
containerd@1.6.20~ds1-1+deb12u1~bpo11+1 | containerd@1.6.20 | ~ds1-1+deb12u1~bpo11+1
containerd@2.2.1-0ubuntu1~24.04.1 | containerd@2.2.1 | -0ubuntu1~24.04.1
containerd@2.1.4-1.amzn2023.0.1 | containerd@2.1.4 | -1.amzn2023.0.1
containerd://2.1.5+bottlerocket | containerd@2.1.5 | +bottlerocket
containerd://1.7.24-gke.1 | containerd@1.7.24 | -gke.1
containerd@2.0.5-2.azl3 | containerd@2.0.5 | -2.azl3
containerd@2.1.4-1.fc43 | containerd@2.1.4 | -1.fc43
containerd@2.2.0-r1 | containerd@2.2.0 | -r1
containerd@1.7.27_2 | containerd@1.7.27 | _2
containerd://v2.1.0-123-g0123abc.m | containerd@2.1.0 | -123-g0123abc.m
containerd://2.1.0.m | containerd@2.1.0 | .m
cri-o-1.33.4-3.rhaos4.20.el9.x86_64 | cri-o@1.33.4 | -3.rhaos4.20.el9.x86_64
containerd.io-1.7.27-3.1.el9.aarch64 | containerd@1.7.27 | -3.1.el9.aarch64
containerd-2.2.0-r1 | containerd@2.2.0 | -r1
moby-containerd 1.7.27+azure | containerd@1.7.27 | +azure
moby-containerd_1.7.27-ubuntu22.04u1_amd64.deb | containerd@1.7.27 | -ubuntu22.04u1_amd64.deb
containerd2-2.1.5-1.azl3.x86_64 | containerd@2.1.5 | -1.azl3.x86_64
containerd-stable-2.1.5-1.x86_64 | containerd@2.1.5 | -1.x86_64
app-containers/containerd-2.1.4 | containerd@2.1.4 |
cri-o1.33-1.33.4-1.1.x86_64 | cri-o@1.33.4 | -1.1.x86_64
containerRuntimeVersion: cri-o://1.33.4 | cri-o@1.33.4 |
cri-o://1.36.0-dev | cri-o@1.36.0 | -dev
containerd github.com/k3s-io/containerd v2.1.5-k3s1 0123abc | containerd@2.1.5 | -k3s1
\"containerd://2.2.1\" | containerd@2.2.1 |
containerd containerd.io v1.7.27 05044ec | containerd@1.7.27 |
{\"containerRuntimeVersion\":\"containerd://2.4.2\"} | containerd@2.4.2 |";

#[test]
fn names_from_machines() {
    for row in NAMES.lines() {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [text, spec, suffix] = columns[..] else {
            panic!("{row}");
        };
        assert_eq!(reduced(text), (spec.to_owned(), suffix.to_owned()), "{row}");
    }
    let version = "crio version 1.33.4\nVersion:        1.33.4\nGitCommit: abc";
    assert_eq!(reduced(version).0, "cri-o@1.33.4");
    let marked = "\u{feff}containerd://2.4.2\r\n";
    assert_eq!(reduced(marked).0, "containerd@2.4.2");
}

#[test]
fn other_text_is_no_name() {
    let others =
        "|2.7|containerd|runc version 1.1.5|containerd-shim-runc-v2-2.2.0|docker 27.1.1|v2.4.2";
    for text in others.split('|') {
        assert_eq!(ReleaseName::parse(text), None, "{text}");
    }
}

#[test]
fn prereleases() {
    let prereleases = "containerd@2.3.0-rc.1 containerd://2.3.0~rc1 cri-o@1.33.0-dev containerd@2.3.0-0.rc1.el9 \
        containerd@2.3.0+dev";
    for text in prereleases.split(' ') {
        let name = ReleaseName::parse(text).expect(text);
        assert!(name.is_prerelease(), "{text}");
    }
    let build = ReleaseName::parse("containerd@2.3.0-rancher1");
    assert!(!build.expect("a name").is_prerelease());
}
