//! A schema as proto text.

use std::collections::HashMap;
use std::fmt::Write as _;

use fastrand::Rng;

use super::ast::{Enum, Extend, Field, File, Label, Message, Reserved, Service, Set, Type, Uid};
use super::names::{self, Known};

/// Returns every file with its text. The seed determines the layout, which is the same for both
/// sides.
pub(super) fn files(set: &Set, seed: u64) -> Vec<(String, String)> {
    let known = names::known(set);
    let print = |(index, file)| Printer::new(set, &known, index, file, seed).print();
    set.files.iter().enumerate().map(print).collect()
}

struct Printer<'a> {
    set: &'a Set,
    known: &'a HashMap<Uid, Known>,
    index: usize,
    file: &'a File,
    rng: Rng,
    out: String,
    imports: Vec<usize>,
    depth: usize,
}

impl<'a> Printer<'a> {
    fn new(
        set: &'a Set,
        known: &'a HashMap<Uid, Known>,
        index: usize,
        file: &'a File,
        seed: u64,
    ) -> Self {
        let rng = Rng::with_seed(seed ^ index as u64);
        Self { set, known, index, file, rng, out: String::new(), imports: Vec::new(), depth: 0 }
    }

    fn print(mut self) -> (String, String) {
        let file = self.file;
        for declared in &file.enums {
            self.enumeration(declared);
        }
        self.messages(&file.messages);
        self.extends(&file.extends);
        for service in &file.services {
            self.service(service);
        }
        self.extras();
        (file.name.clone(), format!("{}{}", self.head(), self.out))
    }

    fn head(&self) -> String {
        let mut head = String::from("// A comment at the top.\n");
        let syntax = if self.file.proto3 { "proto3" } else { "proto2" };
        let _ = writeln!(head, "syntax = \"{syntax}\";");
        if !self.file.package.is_empty() {
            let _ = writeln!(head, "package {};", self.file.package);
        }
        for index in &self.imports {
            let _ = writeln!(head, "import \"{}\";", self.set.files[*index].name);
        }
        if self.file.well_known {
            head.push_str("import \"google/protobuf/duration.proto\";\n");
        }
        if self.file.custom_options {
            head.push_str("import \"google/protobuf/descriptor.proto\";\n");
        }
        for (name, value) in self.file.options.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = writeln!(head, "  option {name} = {value};");
        }
        head
    }

    fn extras(&mut self) {
        let index = self.index;
        if self.file.well_known {
            self.line(&format!(
                "message Timed{index} {{ optional google.protobuf.Duration took = 1; }}"
            ));
        }
        if self.file.custom_options {
            self.line(&format!(
                "extend google.protobuf.MessageOptions {{ optional string note{index} = {}; }}",
                50000 + index
            ));
            self.line(&format!(
                "message Noted{index} {{ option (note{index}) = \"x\"; optional int32 a = 1; }}"
            ));
        }
    }

    /// Writes one line, which sometimes continues the previous one or has a comment.
    fn line(&mut self, text: &str) {
        match self.rng.u8(..8) {
            0 if self.out.ends_with('\n') && !self.out.ends_with("*/\n") => {
                self.out.pop();
                self.out.push(' ');
            }
            1 => {
                let _ = writeln!(self.out, "{:1$}/* Said of {text:.9}. */", "", self.depth * 2);
                self.out.push_str(&" ".repeat(self.depth * 2));
            }
            _ => self.out.push_str(&" ".repeat(self.depth * 2)),
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn messages(&mut self, list: &[Message]) {
        for message in list {
            self.line(&format!("message {} {{", message.name));
            self.body(message);
        }
    }

    fn body(&mut self, message: &Message) {
        self.depth += 1;
        if message.no_accessor {
            self.line("option no_standard_descriptor_accessor = true;");
        }
        for declared in &message.enums {
            self.enumeration(declared);
        }
        self.messages(&message.messages);
        self.fields(message);
        self.reserved(&message.reserved);
        if !self.file.proto3 {
            for (start, end) in &message.extensions {
                self.line(&format!("extensions {start} to {end};"));
            }
            self.extends(&message.extends);
        }
        self.depth -= 1;
        self.line("}");
    }

    /// Prints the fields, with each oneof at the position of its first field.
    fn fields(&mut self, message: &Message) {
        let mut printed: Vec<&str> = Vec::new();
        for field in &message.fields {
            match &field.oneof {
                None => self.field(field, false),
                Some(oneof) if !printed.contains(&oneof.as_str()) => {
                    printed.push(oneof);
                    self.line(&format!("oneof {oneof} {{"));
                    self.depth += 1;
                    for member in
                        message.fields.iter().filter(|member| member.oneof.as_ref() == Some(oneof))
                    {
                        self.field(member, true);
                    }
                    self.depth -= 1;
                    self.line("}");
                }
                Some(_) => {}
            }
        }
    }

    fn field(&mut self, field: &Field, in_oneof: bool) {
        let is_map = matches!(field.ty, Type::Map(..)) && !in_oneof;
        let label = match (field.label, self.file.proto3) {
            _ if in_oneof || is_map => "",
            (Label::Repeated, _) => "repeated ",
            (Label::None | Label::Required, true) => "",
            (Label::Required, false) => "required ",
            (Label::None | Label::Optional, _) => "optional ",
        };
        let Field { name, number, .. } = field;
        if let (Type::Group(group), false) = (&field.ty, self.file.proto3) {
            self.line(&format!("{label}group {} = {number} {{", group.name));
            return self.body(group);
        }
        let ty = self.ty(&field.ty, in_oneof);
        let options = self.options(field, &ty, label == "repeated " || is_map);
        self.line(&format!("{label}{ty} {name} = {number}{options};"));
    }

    /// Returns the name of a type, or of one that this file can use instead.
    fn ty(&mut self, ty: &Type, in_oneof: bool) -> String {
        match ty {
            Type::Scalar(name) => (*name).to_owned(),
            Type::Map(_, value) if in_oneof => self.ty(value, true),
            Type::Map(key, value) => format!("map<{key}, {}>", self.ty(value, false)),
            Type::Group(_) => "int64".to_owned(),
            Type::Named(uid) => self.named(*uid).unwrap_or_else(|| "bytes".to_owned()),
        }
    }

    /// Returns the full name of a type if this file may import it, and proto3 may use it.
    fn named(&mut self, uid: Uid) -> Option<String> {
        let known = self.known.get(&uid)?;
        let closed = known.values.is_some() && !self.set.files[known.file].proto3;
        if known.file > self.index || (closed && self.file.proto3) {
            return None;
        }
        if known.file != self.index && !self.imports.contains(&known.file) {
            self.imports.push(known.file);
        }
        Some(if known.full.starts_with('.') {
            known.full.clone()
        } else {
            format!(".{}", known.full)
        })
    }

    fn options(&self, field: &Field, ty: &str, many: bool) -> String {
        let fits = |name: &str| match name {
            "ctype" => ty == "string" || ty == "bytes",
            "jstype" => ty.ends_with("int64") || ty.ends_with("fixed64"),
            "packed" => many && ty.ends_with("32"),
            "json_name" => field.number < 1000,
            _ => true,
        };
        let mut options: Vec<String> = Vec::new();
        if let (Some(pick), false, false) = (field.default, many, self.file.proto3) {
            options.extend(self.default(field, ty, pick).map(|value| format!("default = {value}")));
        }
        let fitting = field.options.iter().filter(|(name, _)| fits(name));
        options.extend(fitting.map(|(name, value)| match *name {
            "json_name" => format!("json_name = \"{value}_{}\"", field.name),
            _ => format!("{name} = {value}"),
        }));
        if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) }
    }

    fn default(&self, field: &Field, ty: &str, pick: usize) -> Option<String> {
        if let (Type::Named(uid), true) = (&field.ty, ty.starts_with('.')) {
            let values = self.known.get(uid)?.values.as_ref()?;
            return values.get(pick % values.len()).cloned();
        }
        let values = match ty {
            named if named.starts_with('.') => return None,
            "bool" => ["true", "false", "true"],
            "string" => ["\"x\"", "\"\"", "\"1\\n\\\"\""],
            "bytes" => ["\"x\"", "\"\\x00\\377'\"", "\"1\\n\\\"\""],
            "double" | "float" => ["1", "0.1", ["inf", "nan", "-0.0"][field.name.len() % 3]],
            _ => ["1", "0", "7"],
        };
        Some(values[pick].to_owned())
    }

    fn reserved(&mut self, reserved: &Reserved) {
        for (start, end) in &reserved.ranges {
            self.line(&format!("reserved {start} to {end};"));
        }
        for name in &reserved.names {
            self.line(&format!("reserved \"{name}\";"));
        }
    }

    fn enumeration(&mut self, declared: &Enum) {
        self.line(&format!("enum {} {{", declared.name));
        self.depth += 1;
        let is_alias = |(index, (_, number)): (usize, &(String, i32))| {
            declared.values[..index].iter().any(|(_, earlier)| earlier == number)
        };
        if declared.values.iter().enumerate().any(is_alias) {
            self.line("option allow_alias = true;");
        }
        for (index, (name, number)) in declared.values.iter().enumerate() {
            // The first value of an open enum is zero.
            let number = if index == 0 && self.file.proto3 { 0 } else { *number };
            self.line(&format!("{name} = {number};"));
        }
        self.reserved(&declared.reserved);
        self.depth -= 1;
        self.line("}");
    }

    fn service(&mut self, service: &Service) {
        self.line(&format!("service {} {{", service.name));
        self.depth += 1;
        for method in &service.methods {
            let stream = |streams| if streams { "stream " } else { "" };
            let (Some(input), Some(output)) = (self.named(method.input), self.named(method.output))
            else {
                continue;
            };
            let options = method.idempotency.map_or_else(
                || ";".to_owned(),
                |level| format!(" {{ option idempotency_level = {level}; }}"),
            );
            let (client, server) =
                (stream(method.client_streaming), stream(method.server_streaming));
            self.line(&format!(
                "rpc {}({client}{input}) returns ({server}{output}){options}",
                method.name
            ));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn extends(&mut self, list: &[Extend]) {
        for extend in list.iter().filter(|_| !self.file.proto3).cloned().collect::<Vec<_>>() {
            let Some(target) = self.extensible(extend.target) else {
                continue;
            };
            let fields: Vec<Field> = extend
                .fields
                .into_iter()
                .filter(|field| {
                    self.known[&extend.target]
                        .extensions
                        .iter()
                        .any(|(start, end)| (*start..=*end).contains(&field.number))
                })
                .collect();
            if fields.is_empty() {
                continue;
            }
            self.line(&format!("extend {target} {{"));
            self.depth += 1;
            for mut field in fields {
                if field.label == Label::Required {
                    field.label = Label::Optional;
                }
                self.field(&field, false);
            }
            self.depth -= 1;
            self.line("}");
        }
    }

    fn extensible(&mut self, uid: Uid) -> Option<String> {
        let known = self.known.get(&uid)?;
        (!self.set.files[known.file].proto3).then(|| self.named(uid)).flatten()
    }
}
