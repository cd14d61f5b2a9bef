import Statechart
import WorkflowStore

/// A machine, its instances, and the events that are sent to them.
package struct Workload: Sendable {
    /// The kind of key that an event carries.
    package enum Keys: Sendable {
        case none
        /// A version 7 UUID, which grows with time.
        case growing
        /// A version 4 UUID, which is random.
        case random
    }

    /// The number of events in one request, unless a workload has another.
    package static let usualBatch = 500

    /// The definition. Its machine accepts the event in every state that it reaches.
    package let source: String
    let event: String
    /// The number of instances.
    package let instances: Int
    /// The data of events as canonical JSON, of which each event has one; empty for events without data.
    package var data: [String] = []
    var keys = Keys.none
    /// The number of events in one request, which is also the limit of a batch.
    package private(set) var batch = usualBatch
    /// The number of events in a measurement of a second.
    var eventsPerSecond = 150_000

    /// The number of requests under way. With so many, the writer has some to apply while the most batches are being
    /// committed; and they have no more bytes than its queue takes.
    package var requestsAtOnce: Int { min(16, (32 << 20) / (batch * (512 + (data.first?.utf8.count ?? 0)))) }

    /// Returns a workload of two states and one event.
    package static func flat(_ instances: Int) -> Workload {
        Workload(
            source: "{id: lamp, initial: off, states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}", event: "flip",
            instances: instances)
    }

    /// Returns a workload of nested states, a guard over context and event, and an assignment for every event.
    package static func nested(_ instances: Int) -> Workload {
        let add = "guard: context.amount < 1000 && event.data.ok, actions: {assign: {count: context.count + 1}}"
        let source = """
            id: order
            initial: shop
            context: {amount: 250, count: 0}
            states:
              shop:
                initial: open
                on: {cancel: cancelled}
                states:
                  open: {on: {add: {target: review, \(add)}}}
                  review: {on: {add: {target: open, \(add)}}}
              cancelled: {type: final}
            """
        return Workload(source: source, event: "add", instances: instances, data: [#"{"ok":true}"#])
    }

    /// Returns a workload with a timer that begins and ends with every state.
    package static func after(_ instances: Int) -> Workload {
        let source = """
            id: lease
            initial: fresh
            states:
              fresh: {on: {renew: renewed}, after: {30d: over}}
              renewed: {on: {renew: fresh}, after: {30d: over}}
              over: {type: final}
            """
        return Workload(source: source, event: "renew", instances: instances)
    }

    /// Returns a workload with a task that every event begins, and whose result leads back.
    package static func tasks(_ instances: Int) -> Workload {
        Workload(
            source: job("job", queue: taskQueue), event: "begin", instances: instances, batch: 100,
            eventsPerSecond: 16_000)
    }

    /// The queue for the tasks of `tasks`.
    static let taskQueue = "work"

    /// Returns a machine whose event `begin` begins a task of a queue, and whose result leads back.
    package static func job(_ name: String, queue: String) -> String {
        let input = #"{"order":"instance.name","amount":"context.amount"}"#
        let working = #"{"invoke":{"task":"\#(queue)","input":\#(input),"onDone":"idle"}}"#
        return #"{"id":"\#(name)","initial":"idle","context":{"amount":250},"#
            + #""states":{"idle":{"on":{"begin":"working"}},"working":\#(working)}}"#
    }

    /// Returns the same workload with data of a number of bytes.
    package func with(dataBytes: Int, eventsPerSecond: Int = 150_000) -> Workload {
        var random = Generator(seed: 7)
        var workload = self
        let shell = #"{"note":""}"#.utf8.count
        workload.data = (0..<64).map { _ in
            let letters = (shell..<dataBytes).map { _ in Character(UnicodeScalar(UInt8(97 + random.next() % 26))) }
            return #"{"note":"\#(String(letters))"}"#
        }
        workload.eventsPerSecond = eventsPerSecond
        return workload
    }

    /// Returns the same workload in smaller batches.
    package func with(batch: Int) -> Workload {
        var workload = self
        workload.batch = batch
        workload.eventsPerSecond = 40_000
        return workload
    }

    /// Returns the same workload with keys.
    package func with(keys: Keys) -> Workload {
        var workload = self
        workload.keys = keys
        return workload
    }
}

/// Picks instances, data and keys. The same seed gives the same ones.
struct Traffic: Sendable {
    /// An event before it becomes a command or a row.
    struct Pick: Sendable {
        let instance: Int
        /// The index in `Workload.data`.
        let data: Int?
        let key: RequestKey?
        let at: Timestamp
    }

    let workload: Workload
    /// The time of the first event, which increases by a millisecond with every 150.
    let start: Timestamp
    private var random = Generator(seed: 1)
    private var count = 0

    init(_ workload: Workload, at start: Timestamp) {
        self.workload = workload
        self.start = start
    }

    /// Returns one event for each instance, in their order.
    mutating func everyInstance() -> [Pick] {
        (0..<workload.instances).map { next(instance: $0) }
    }

    /// Returns a number of events for instances picked at random.
    mutating func next(_ count: Int) -> [Pick] {
        (0..<count).map { _ in next(instance: Int(random.next() % UInt64(workload.instances))) }
    }

    private mutating func next(instance: Int) -> Pick {
        let at = Timestamp(rawValue: start.rawValue + Int64(count / 150))
        count += 1
        let data = workload.data.isEmpty ? nil : Int(random.next() % UInt64(workload.data.count))
        return Pick(instance: instance, data: data, key: key(at), at: at)
    }

    private mutating func key(_ at: Timestamp) -> RequestKey? {
        if case .none = workload.keys { return nil }
        var bytes = UniqueID(at: at, random: &random).bytes
        if case .random = workload.keys {
            let high = random.next()
            for place in 0..<6 { bytes[place] = UInt8(truncatingIfNeeded: high >> (place * 8)) }
            bytes[6] = 0x40 | (bytes[6] & 0x0F)
        }
        return RequestKey(bytes: bytes)
    }
}

/// A SplitMix64 generator (https://prng.di.unimi.it/splitmix64.c): small, fast, and the same everywhere.
package struct Generator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. The same seed gives the same numbers.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
