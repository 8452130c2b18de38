impl EventMask {
    /// Returns the set with only this event; empty for the zero value and the sentinel of
    /// [`Event`].
    pub const fn from_event(event: Event) -> EventMask {
        EventMask(event.bit())
    }

    /// Returns the set with these bits.
    ///
    /// # Errors
    ///
    /// Returns an error if a bit belongs to no event of this revision.
    pub const fn from_bits(bits: i32) -> ::core::result::Result<EventMask, UnknownEvents> {
        match bits & !EventMask::ALL.0 {
            0 => Ok(EventMask(bits)),
            unknown => Err(UnknownEvents(unknown)),
        }
    }

    /// Returns the set with those bits that belong to an event of this revision.
    pub const fn from_bits_truncate(bits: i32) -> EventMask {
        EventMask(bits & EventMask::ALL.0)
    }

    /// Returns the bits, as used in `ConfigureResponse.events`.
    pub const fn bits(self) -> i32 {
        self.0
    }

    /// Returns true if the set has no events.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of events in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns true if the event is in the set.
    pub const fn contains(self, event: Event) -> bool {
        self.0 & event.bit() != 0
    }

    /// Returns the set with this event.
    pub const fn with(self, event: Event) -> EventMask {
        EventMask(self.0 | event.bit())
    }

    /// Returns the set without this event.
    pub const fn without(self, event: Event) -> EventMask {
        EventMask(self.0 & !event.bit())
    }

    /// Returns the events that are in either set.
    pub const fn union(self, other: EventMask) -> EventMask {
        EventMask(self.0 | other.0)
    }

    /// Returns the events in the set, by number.
    pub fn iter(self) -> impl ::core::iter::Iterator<Item = Event> {
        Event::ALL.iter().copied().filter(move |event| self.contains(*event))
    }
}

impl ::core::iter::FromIterator<Event> for EventMask {
    fn from_iter<I: ::core::iter::IntoIterator<Item = Event>>(events: I) -> Self {
        events.into_iter().fold(EventMask::EMPTY, EventMask::with)
    }
}

/// Formats the names of the events, separated by commas, like the Go API.
impl ::core::fmt::Display for EventMask {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        for (index, event) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            f.write_str(event.name())?;
        }
        Ok(())
    }
}

impl ::core::fmt::Debug for EventMask {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::write!(f, "EventMask({self})")
    }
}

/// Parses names separated by commas, in any case, like the Go API: events (`RunPodSandbox`,
/// optionally surrounded by spaces), `all`, `pod` or `podsandbox`, `container` (these without
/// spaces).
impl ::core::str::FromStr for EventMask {
    type Err = UnknownEventName;

    fn from_str(names: &str) -> ::core::result::Result<Self, UnknownEventName> {
        let mut mask = EventMask::EMPTY;
        for name in names.to_lowercase().split(',') {
            mask = mask.union(match name {
                "all" => EventMask::ALL,
                "pod" | "podsandbox" => EventMask::POD,
                "container" => EventMask::CONTAINER,
                name => Event::ALL
                    .iter()
                    .copied()
                    .find(|event| event.name().eq_ignore_ascii_case(name.trim()))
                    .map(EventMask::from_event)
                    .ok_or_else(|| UnknownEventName(::prost::alloc::string::String::from(name)))?,
            });
        }
        Ok(mask)
    }
}
