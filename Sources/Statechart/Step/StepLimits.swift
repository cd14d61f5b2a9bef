import WorkflowJSON

/// How far one macrostep may go, and how much an instance may keep.
package enum StepLimits {
    /// Microsteps and internal events of one macrostep; past it the machine is held to go round for ever.
    package static let work = 1_000
    /// The longest delay, in milliseconds: a hundred years.
    package static let delay: Int64 = 36_525 * 86_400_000
    /// The last moment at which a timer may be due, in milliseconds since 1970: times are written with four digits for
    /// the year.
    static let latestDue: Int64 = 253_402_300_799_999
    /// Timers and sent events that one instance may have at a time.
    package static let timers = 10_000
    /// Bytes of all that one macrostep asks of the world: they are in memory until they are on disk.
    package static let requestBytes = 4 << 20
    /// Bytes of all that one macrostep writes: context, raised and sent data, requests, logs and output.
    package static let writtenBytes = 4 << 20
    /// Of these bytes so many cost one unit of evaluation.
    static let bytesOfUnit = 16
    /// Bytes of all that one instance has armed: its row is written anew with each of its macrosteps.
    package static let armedBytes = 8 << 20
    /// Effects that one macrostep may ask for.
    package static let requests = 1_000
    /// Bytes of a context, of an event's data and of an output, roughly as JSON.
    package static let valueBytes = 1 << 20
    /// Units of evaluation for each state that is left or entered.
    static let movingCost = 16
    /// The same for each timer, sent event and invocation that is armed.
    static let armingCost = 16
    /// Elements of a list that is gone through once, for one unit of evaluation.
    static let elementsOfUnit = 16
    /// Levels of maps and lists in the same: what the stored form adds must still be readable.
    package static let valueLevels = 120
    /// Macrosteps of events that an instance sends to itself, one after the other, for one event from outside; the rest
    /// comes later.
    package static let chain = 100

    /// What is said of a value past these bounds.
    static let tooLarge = "larger than \(valueBytes) bytes or nested deeper than \(valueLevels) levels"
}

extension JSONValue {
    /// Whether the value may be kept in an instance.
    var isKeepable: Bool { keepableBytes != nil }

    /// Its bytes, roughly as JSON; nil when it may not be kept in an instance. Stops as soon as that is clear.
    var keepableBytes: Int? {
        var left = StepLimits.valueBytes
        return take(from: &left, level: 0) ? StepLimits.valueBytes - left : nil
    }

    /// Its bytes, roughly as JSON, as far as it is nested no deeper than what may be kept.
    var bytes: Int {
        var left = Int.max
        _ = take(from: &left, level: 0)
        return Int.max - left
    }

    private func take(from left: inout Int, level: Int) -> Bool {
        switch self {
        case .null, .bool: left -= 5
        case .int, .double: left -= 9
        case .string(let string): left -= string.utf8.count + 3
        case .array(let elements):
            left -= 3
            guard level < StepLimits.valueLevels else { return false }
            for element in elements where !element.take(from: &left, level: level + 1) { return false }
        case .object(let object):
            left -= 3
            guard level < StepLimits.valueLevels else { return false }
            // Reads the members in place: a copy of each member would count its references.
            return object.members.withUnsafeBufferPointer { members in
                for index in members.indices {
                    left -= members[index].key.utf8.count + 4
                    if !members[index].value.take(from: &left, level: level + 1) { return false }
                }
                return left >= 0
            }
        }
        return left >= 0
    }
}
