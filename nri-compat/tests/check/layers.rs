//! Properties of archives: layers are combined as in a file system, and damage never ends a scan.

use crate::common::image::{Layer, gzip, oci, zstd};
use crate::common::{collected, paths, skipped};
use proptest::prelude::*;

/// An entry of a random layer.
#[derive(Clone, Debug)]
enum Item {
    File(String),
    Folder(String),
    Gone(String),
    Opaque(String),
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec("[ab]", 1..4).prop_map(|parts| parts.join("/"))
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        3 => path().prop_map(Item::File),
        1 => path().prop_map(Item::Folder),
        2 => path().prop_map(Item::Gone),
        1 => path().prop_map(Item::Opaque),
    ]
}

/// Applies layers to a file system like a runtime: whiteouts first, then the entries of the layer.
fn applied(layers: &[Vec<Item>]) -> Vec<String> {
    let mut files: std::collections::BTreeMap<String, bool> = std::collections::BTreeMap::new();
    let below = |path: &str, top: &str| path.starts_with(&format!("{top}/"));
    for layer in layers {
        for item in layer {
            match item {
                Item::Gone(gone) => files.retain(|path, _| path != gone && !below(path, gone)),
                Item::Opaque(top) => files.retain(|path, _| !below(path, top)),
                _ => {}
            }
        }
        for item in layer {
            match item {
                Item::File(file) => {
                    files.retain(|path, _| !below(path, file));
                    files.insert(file.clone(), true);
                }
                Item::Folder(folder) | Item::Opaque(folder) => {
                    files.insert(folder.clone(), false);
                }
                _ => {}
            }
        }
    }
    let kept = files.into_iter().filter(|(_, is_file)| *is_file);
    kept.map(|(path, _)| format!("it: p: /{path}")).collect()
}

/// Returns a layer as tools write it: no path twice, no file that is a folder of another.
fn sane(items: &[Item]) -> Vec<Item> {
    let mut taken: Vec<String> = Vec::new();
    let mut sane = Vec::new();
    for item in items {
        let path = match item {
            Item::File(path) | Item::Folder(path) | Item::Gone(path) | Item::Opaque(path) => path,
        };
        let near = |other: &String| {
            other == path
                || other.starts_with(&format!("{path}/"))
                || path.starts_with(&format!("{other}/"))
        };
        if !taken.iter().any(near) {
            taken.push(path.clone());
            sane.push(item.clone());
        }
    }
    sane
}

fn tar_of(items: &[Item]) -> Vec<u8> {
    let whiteout = |path: &str| match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/.wh.{name}"),
        None => format!(".wh.{path}"),
    };
    let layer = items.iter().fold(Layer::new(), |layer, item| match item {
        Item::File(path) => layer.file(path, "MARK x"),
        Item::Folder(path) => layer.folder(path),
        Item::Gone(path) => layer.file(&whiteout(path), ""),
        Item::Opaque(path) => layer.folder(path).file(&format!("{path}/.wh..wh..opq"), ""),
    });
    layer.tar()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn layers_lie_over_each_other_as_a_file_system_would_have_them(
        layers in prop::collection::vec(prop::collection::vec(item(), 0..6), 1..4)
    ) {
        let layers: Vec<Vec<Item>> = layers.iter().map(|items| sane(items)).collect();
        let names: Vec<String> = (0..layers.len()).map(|number| format!("a{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let tars: Vec<(&str, Vec<u8>)> = names.iter().copied().zip(layers.iter().map(|items| tar_of(items))).collect();
        let found = collected(&oci(&[("p", &names)], &tars).tar());
        prop_assert_eq!(paths(&found), applied(&layers));
        prop_assert_eq!(skipped(&found), [""; 0]);
    }

    #[test]
    fn damaged_archives_never_end_the_scan(at in 0usize..6000, byte: u8, pack in 0..3) {
        let layers = [("aaaa", Layer::new().file("x", "MARK x").hard_link("y", "x").tar())];
        let mut bytes = oci(&[("p", &["aaaa"])], &layers).tar();
        if pack == 1 { bytes = gzip(&bytes) } else if pack == 2 { bytes = zstd(&bytes) }
        let at = at % bytes.len();
        bytes[at] = byte;
        let found = collected(&bytes);
        prop_assert!(found.summary.files >= 1);
        prop_assert!(paths(&found).iter().all(|path| path.starts_with("it")));
    }
}
