//! One connection to a plugin, played by hand: the runtime's end, under any revision of the protocol.
