//! How a plugin of one protocol version gets on with a runtime of another.

/// One plugin version on one runtime version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Protocol version of the plugin.
    pub plugin: String,
    /// Protocol version of the runtime.
    pub runtime: String,
    /// Events, fields and steps of the protocol, each with its outcome.
    pub items: Vec<PairingItem>,
}

/// One event, field or protocol step of a pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingItem {
    /// What sort of thing it is.
    pub kind: ItemKind,
    /// Fully qualified name of the event value, field, RPC or service.
    pub element: String,
    /// How it fares.
    pub outcome: Outcome,
    /// The fact behind the outcome, without the element's name, so that alike items can be put together.
    pub detail: String,
}

/// What sort of thing a pairing item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// A service as a whole.
    Service,
    /// Synchronize and its splitting.
    Synchronize,
    /// An event, by whatever RPC.
    Event,
    /// A call that is not an event.
    Rpc,
    /// A field of a message.
    Field,
}

/// How something fares, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// As if both had the same version.
    Works,
    /// Through StateChange, because one side lacks the dedicated RPC.
    Fallback,
    /// What one side sends, the other skips without a word.
    Loses,
    /// A request fails.
    Fails,
    /// The runtime refuses the plugin while it registers or synchronizes.
    Dropped,
}

impl Pairing {
    /// The worst outcome of any item.
    pub fn outcome(&self) -> Outcome {
        self.items
            .iter()
            .map(|item| item.outcome)
            .max()
            .unwrap_or(Outcome::Works)
    }

    /// The outcome in a few words, with counts: `works; 9 events through fallback, loses 2 fields`.
    pub fn headline(&self) -> String {
        let worse = Outcome::ALL
            .into_iter()
            .filter(|&outcome| outcome != Outcome::Works);
        let parts: Vec<String> = worse.filter_map(|outcome| self.part(outcome)).collect();
        match parts.is_empty() {
            true => "works".to_owned(),
            false if self.outcome() <= Outcome::Loses => format!("works; {}", parts.join(", ")),
            false => parts.join(", "),
        }
    }

    fn part(&self, outcome: Outcome) -> Option<String> {
        let kinds = [
            ItemKind::Service,
            ItemKind::Synchronize,
            ItemKind::Event,
            ItemKind::Rpc,
            ItemKind::Field,
        ];
        let counts = kinds
            .into_iter()
            .map(|kind| (kind, self.count(kind, outcome)));
        let counted: Vec<String> = counts
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| kind.counted(count))
            .collect();
        let what = counted.join(" and ");
        (!what.is_empty()).then(|| match outcome {
            Outcome::Works => what,
            Outcome::Fallback => format!("{what} through fallback"),
            Outcome::Loses => format!("loses {what}"),
            Outcome::Fails => format!("can fail over {what}"),
            Outcome::Dropped => format!("can be dropped at registration over {what}"),
        })
    }

    /// How many items of this kind and outcome there are.
    pub fn count(&self, kind: ItemKind, outcome: Outcome) -> usize {
        self.items
            .iter()
            .filter(|item| item.kind == kind && item.outcome == outcome)
            .count()
    }
}

impl Outcome {
    /// All outcomes, best first.
    pub const ALL: [Self; 5] = [
        Self::Works,
        Self::Fallback,
        Self::Loses,
        Self::Fails,
        Self::Dropped,
    ];

    /// The name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Fallback => "works_through_fallback",
            Self::Loses => "loses",
            Self::Fails => "fails",
            Self::Dropped => "dropped_at_registration",
        }
    }

    /// The word that items are listed under.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Fallback => "fallback",
            Self::Loses => "loses",
            Self::Fails => "fails",
            Self::Dropped => "dropped",
        }
    }
}

impl ItemKind {
    /// `1 event`, `2 events`.
    fn counted(self, count: usize) -> String {
        let plural = if count == 1 { "" } else { "s" };
        match self {
            Self::Service => format!("{count} service{plural}"),
            Self::Synchronize => "split Synchronize".to_owned(),
            Self::Event => format!("{count} event{plural}"),
            Self::Rpc => format!("{count} call{plural}"),
            Self::Field => format!("{count} field{plural}"),
        }
    }

    /// The name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Synchronize => "synchronize",
            Self::Event => "event",
            Self::Rpc => "rpc",
            Self::Field => "field",
        }
    }
}
