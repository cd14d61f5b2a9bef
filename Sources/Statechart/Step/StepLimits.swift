import WorkflowJSON

/// The limits of one macrostep, and of the data that an instance keeps.
package enum StepLimits {
    /// The most microsteps and internal events of one macrostep; a macrostep past this limit counts as an endless loop.
    package static let work = 1_000
    /// The number of findings from which a traced macrostep records no more.
    static let findings = 100
    /// The longest delay, in milliseconds: a hundred years.
    package static let delay: Int64 = 36_525 * 86_400_000
    /// The last time at which a timer may be due, in milliseconds since 1970. Times are written with a four-digit year.
    package static let latestDue: Int64 = 253_402_300_799_999
    /// The most timers, sent events and invocations that one instance may have at a time.
    package static let timers = 10_000
    /// The most bytes of effect requests in one macrostep; the requests stay in memory until they are on disk.
    package static let requestBytes = 4 << 20
    /// The most bytes that one macrostep writes: context, data of events, requests, logs and output.
    package static let writtenBytes = 4 << 20
    /// The number of written bytes that cost one unit of evaluation.
    static let bytesOfUnit = 16
    /// The most bytes that one instance may have armed; every macrostep rewrites the instance's row.
    package static let armedBytes = 8 << 20
    /// The most requests of one macrostep: past this limit it cannot request another effect.
    package static let requests = 1_000
    /// The most events that one macrostep emits.
    static let emitted = 1_000
    /// The most bytes of a context, of an event's data and of an output, roughly as JSON.
    package static let valueBytes = 1 << 20
    /// The units of evaluation for each state that is left or entered.
    static let movingCost = 16
    /// The units of evaluation for each timer, sent event and invocation that is armed.
    static let armingCost = 16
    /// The number of list elements in one pass that cost one unit of evaluation.
    static let elementsOfUnit = 16
    /// The most levels of maps and lists in a value; the stored form adds levels and must still be readable.
    package static let valueLevels = 120
    /// The most macrosteps in a row for events that an instance sends to itself, for one event from outside. The
    /// remaining events are taken later.
    package static let chain = 100

    /// The message for a value past these limits.
    static let tooLarge = "larger than \(valueBytes) bytes or nested deeper than \(valueLevels) levels"
}

extension JSONValue {
    /// True if an instance may keep the value.
    var isKeepable: Bool { keepableBytes != nil }

    /// The size of the value in bytes, roughly as JSON; `nil` if an instance may not keep the value. Stops at the
    /// limit.
    var keepableBytes: Int? {
        var left = StepLimits.valueBytes
        return take(from: &left, level: 0) ? StepLimits.valueBytes - left : nil
    }

    /// The size of the value in bytes, roughly as JSON, down to the deepest level that an instance may keep.
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
            // Reads the members in place: a copy of each member would retain its references.
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
