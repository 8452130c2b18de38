//! Build-time code generator for NRI, the Node Resource Interface: API bindings from versioned protos, without protoc.
#![forbid(unsafe_code)]
