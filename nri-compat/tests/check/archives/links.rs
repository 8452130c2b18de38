//! Hard links over layers.

use crate::common::image::{Layer, docker};
use crate::common::{collected, paths};

#[test]
fn hard_links_are_followed_over_layers() {
    let base = || Layer::new().file("a", "MARK a");
    for (what, layers, expected) in [
        (
            "removed target",
            vec![base().hard_link("b", "a"), Layer::new().file(".wh.a", "")],
            Some("/b"),
        ),
        (
            "target removed by the layer of the link",
            vec![base(), Layer::new().hard_link("b", "a").file(".wh.a", "")],
            Some("/b"),
        ),
        (
            "chain over layers",
            vec![
                base(),
                Layer::new().hard_link("b", "a"),
                Layer::new().file(".wh.a", "").hard_link("c", "b"),
                Layer::new().file(".wh.b", "").hard_link("d", "c"),
                Layer::new().file(".wh.c", ""),
            ],
            Some("/d"),
        ),
        (
            "chain within an upper layer",
            vec![
                base(),
                Layer::new().hard_link("b", "a").hard_link("c", "b"),
                Layer::new().file(".wh.a", "").file(".wh.b", ""),
            ],
            Some("/c"),
        ),
        (
            "all removed",
            vec![
                base(),
                Layer::new().hard_link("b", "a"),
                Layer::new().file(".wh.a", "").file(".wh.b", ""),
            ],
            None,
        ),
        (
            "link replaced",
            vec![
                base(),
                Layer::new().hard_link("b", "a").file("b", "other"),
                Layer::new().file(".wh.a", ""),
            ],
            None,
        ),
        (
            "target removed before",
            vec![base(), Layer::new().file(".wh.a", ""), Layer::new().hard_link("b", "a")],
            None,
        ),
        (
            "plugin's name",
            vec![base().hard_link("opt/nri/plugins/10-p", "a")],
            Some("/opt/nri/plugins/10-p"),
        ),
        (
            "link named as a plugin",
            vec![base().symbolic_link("opt/nri/plugins/10-p", "/a")],
            Some("/opt/nri/plugins/10-p"),
        ),
        (
            "relative link",
            vec![base(), Layer::new().symbolic_link("opt/10-p", "../a")],
            Some("/opt/10-p"),
        ),
    ] {
        let files: Vec<String> = (0..layers.len()).map(|number| format!("{number}.tar")).collect();
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let tars: Vec<(&str, Vec<u8>)> =
            names.iter().copied().zip(layers.into_iter().map(Layer::tar)).collect();
        let found = collected(&docker(&[("p", &names)], &tars).tar());
        let expected: Vec<String> = expected.iter().map(|path| format!("it: p: {path}")).collect();
        assert_eq!(paths(&found), expected, "{what}");
    }
}
