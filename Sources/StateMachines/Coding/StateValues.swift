internal import Statechart
import Synchronization

/// A cache of the state values that were made without reading the context: the same active states give the same value.
final class StateValues: Sendable {
    private final class Made<Value: Sendable>: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// The values by active states. Beyond the limit, as in a machine with many regions, a value is made at each call.
    private let made = Mutex<[[StateIndex]: any AnyObject & Sendable]>([:])
    private static var limit: Int { 256 }

    func value<Value: Decodable & Sendable>(of machine: Machine, at position: UntypedMove) throws -> Value {
        let configuration = position.after.configuration
        if let known = made.withLock({ $0[configuration] }) as? Made<Value> { return known.value }
        let reading = StateDecoder.Reading(machine, position)
        let value = try Value(from: StateDecoder(reading))
        if !reading.hasUsedContext {
            made.withLock { if $0.count < Self.limit { $0[configuration] = Made(value) } }
        }
        return value
    }
}
