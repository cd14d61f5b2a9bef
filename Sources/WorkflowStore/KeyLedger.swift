/// What the store knows about the keys that it remembers in one partition, that of its positions, and about those that
/// it has forgotten.
package struct KeyLedger: Sendable, Equatable {
    /// Keys of rows before are forgotten.
    package var floor: Position
    /// The latest time that a forgotten key says itself.
    package var forgotten: Timestamp
    /// How many are remembered.
    package var count: Int64
    /// Since when the clock's times count.
    package var begin: ClockBegin

    package init(floor: Position, forgotten: Timestamp, count: Int64, begin: ClockBegin) {
        self.floor = floor
        self.forgotten = forgotten
        self.count = count
        self.begin = begin
    }

    /// What stays of it when a clock is accepted: a forgotten key of the future would make every fresh one look old.
    package func accepting(_ begin: ClockBegin) -> KeyLedger {
        KeyLedger(floor: floor, forgotten: min(forgotten, begin.time), count: count, begin: begin)
    }
}

/// Where the highest time of the clock began anew: rows before a position were written by a clock that may have been
/// ahead.
package struct ClockBegin: Sendable, Equatable {
    package var time: Timestamp
    package var position: Position

    package init(time: Timestamp, position: Position) {
        self.time = time
        self.position = position
    }

    /// When a row was written, at the latest.
    package func time(_ time: Timestamp, of position: Position) -> Timestamp {
        position < self.position ? min(time, self.time) : time
    }
}
