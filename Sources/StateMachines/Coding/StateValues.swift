internal import Statechart
import Synchronization

/// Values of states that were made without a look at the data: they are the same each time the same states are active.
final class StateValues: Sendable {
    private final class Made<Value: Sendable>: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    /// By the states that are active. The rest of a machine with many regions is made each time.
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
