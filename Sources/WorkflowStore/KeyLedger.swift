/// The store's data about the remembered and the forgotten keys of one partition, that of the ledger's positions.
package struct KeyLedger: Sendable, Equatable {
    /// The position below which the keys of rows are forgotten.
    package var floor: Position
    /// The latest time that is embedded in a forgotten key.
    package var forgotten: Timestamp
    /// The number of remembered keys.
    package var count: Int64
    /// The point from which the clock's times count.
    package var begin: ClockBegin

    package init(floor: Position, forgotten: Timestamp, count: Int64, begin: ClockBegin) {
        self.floor = floor
        self.forgotten = forgotten
        self.count = count
        self.begin = begin
    }

    /// Returns the ledger after a clock was accepted. A forgotten key of the future would make every fresh key look
    /// old.
    package func accepting(_ begin: ClockBegin) -> KeyLedger {
        KeyLedger(floor: floor, forgotten: min(forgotten, begin.time), count: count, begin: begin)
    }
}

/// The point at which the highest time of the clock began anew. Rows before `position` were written by a clock that may
/// have been ahead.
package struct ClockBegin: Sendable, Equatable {
    package var time: Timestamp
    package var position: Position

    package init(time: Timestamp, position: Position) {
        self.time = time
        self.position = position
    }

    /// Returns the latest time at which a row was written.
    package func time(_ time: Timestamp, of position: Position) -> Timestamp {
        position < self.position ? min(time, self.time) : time
    }
}
