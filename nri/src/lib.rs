//! NRI, the Node Resource Interface of containerd and CRI-O: plugin stub and runtime adaptation.
#![forbid(unsafe_code)]
