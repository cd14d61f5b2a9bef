package import StateMachines
import Testing

/// The checks of tasks that every host must pass. The host's time is virtual; the worker's heartbeats come in real
/// time.
package struct TaskSuite: Sendable {
    let host: any MachineHost
    /// Advances the host's time.
    let advance: @Sendable (Duration) async throws -> Void
    /// True if a task that its worker returned counts as an attempt.
    let countsReturned: Bool

    package init(
        _ host: any MachineHost, countsReturned: Bool = false,
        advance: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.host = host
        self.countsReturned = countsReturned
        self.advance = advance
    }

    /// Runs all checks, one after another, because they share a queue. Each leaves the queue empty.
    package func run() async throws {
        try await resultsHaveTheirTypes()
        try await whatIsUsedUpIsAnError()
        try await whatAWorkerSaysOfAFailure()
        try await rulesCountTheirOwn()
        try await timeouts()
        try await leavingTheState()
        try await lostLeases()
        try await twoWorkers()
        try await whatDoesNotFit()
        try await tasksThatAreGivenBack()
    }

    private func resultsHaveTheirTypes() async throws {
        let parcel = try await host.start(Delivery.self, "typed", context: .init(items: ["pen", "ink"]))
        let seen = Signal<TaskAttempt<Weighing>>()
        try await working { task in
            seen.send(task)
            return Weighing.Output(weight: 4 * task.input.items.count)
        } while: {
            try await ends(parcel)
        }
        let task = try #require(await seen.next())
        #expect((task.instance, task.id, task.attempt) == ("typed", "packing", 1))
        #expect(task.input.items == ["pen", "ink"])
        #expect(!task.key.isEmpty)
        #expect(task.progress == nil)
        let view = try await parcel.read()
        #expect(view.state == .packed)
        #expect(view.context.weight == 8)
    }

    private func whatIsUsedUpIsAnError() async throws {
        let parcel = try await host.start(Delivery.self, "used-up")
        var keys: Set<String> = []
        for attempt in 1...3 {
            let task = try await one { _ in throw Jammed() }
            #expect(task.attempt == attempt)
            keys.insert(task.key)
            #expect(try await parcel.read().state == (attempt < 3 ? .packing : .refused))
            // Two seconds, then four, more or less by a fifth.
            try await advance(.seconds(5))
        }
        #expect(keys.count == 1)
        let error: JSONValue = ["type": "failed", "message": "the press is jammed", "attempts": 3]
        #expect(try await parcel.read().context.error == error)
    }

    private func whatAWorkerSaysOfAFailure() async throws {
        let parcel = try await host.start(Delivery.self, "said")
        _ = try await one { task in
            try await task.heartbeat(progress: ["page": 3])
            let large = await #expect(throws: HostError.self) {
                try await task.heartbeat(progress: .string(String(repeating: "x", count: 16 << 10)))
            }
            #expect(large?.code == "invalid-data")
            throw TaskFailure(type: "no paper", message: "none", retryAfter: .milliseconds(59_001))
        }
        try await advance(.seconds(60))
        let second = try await one { _ in
            throw TaskFailure(type: "declined", message: String(repeating: "é", count: 600), details: ["code": 7])
        }
        #expect(second.attempt == 2)
        #expect(second.progress == ["page": 3])
        let error = try await parcel.read().context.error?.object
        #expect(error?["type"] == "declined")
        #expect(error?["message"] == .string(String(repeating: "é", count: 500)))
        #expect(error?["details"] == ["code": 7])
        #expect(error?["attempts"] == 2)
    }

    private func rulesCountTheirOwn() async throws {
        let parcel = try await host.start(Delivery.self, "ruled")
        for type in ["busy", "failed", "busy", "failed", "busy"] {
            #expect(try await parcel.read().state == .packing)
            _ = try await one { _ in throw TaskFailure(type: type, message: "m") }
            try await advance(.seconds(5))
        }
        let error: JSONValue = ["type": "busy", "message": "m", "attempts": 5]
        #expect(try await parcel.read().context.error == error)
    }

    private func timeouts() async throws {
        let parcel = try await host.start(Delivery.self, "slow")
        let ended = Signal<Void>()
        try await working { _ in
            await untilCancelled()
            ended.send(())
            throw CancellationError()
        } while: {
            try await advance(.seconds(3_599))
            #expect(try await parcel.read().state == .packing)
            try await advance(.seconds(1))
            #expect(try await parcel.read().state == .refused)
        }
        #expect(try await parcel.read().context.error?.object?["type"] == "timeout")
    }

    private func leavingTheState() async throws {
        let parcel = try await host.start(Delivery.self, "recalled")
        let begun = Signal<Void>()
        let ended = Signal<Void>()
        try await working { _ in
            begun.send(())
            await untilCancelled()
            ended.send(())
            // The result is not wanted any more.
            return Weighing.Output(weight: 1)
        } while: {
            await begun.next()
            try await parcel.send(.recall)
            await ended.next()
        }
        let view = try await parcel.read()
        #expect(view.state == .recalled)
        #expect(view.seq == 2)
    }

    private func lostLeases() async throws {
        let parcel = try await host.start(Delivery.self, "silent")
        let begun = Signal<Int>()
        let ended = Signal<Void>()
        try await working { task in
            begun.send(task.attempt)
            guard task.attempt == 1 else { return Weighing.Output(weight: task.attempt) }
            await untilCancelled()
            ended.send(())
            return Weighing.Output(weight: 100)
        } while: {
            #expect(await begun.next() == 1)
            try await advance(.seconds(5))
            try await advance(.seconds(3))
            await ended.next()
            #expect(await begun.next() == 2)
            try await ends(parcel)
        }
        #expect(try await parcel.read().context.weight == 2)
    }

    private func twoWorkers() async throws {
        var parcels: [Instance<Delivery>] = []
        for number in 1...12 { parcels.append(try await host.start(Delivery.self, "many-\(number)")) }
        let seen = Signal<String>()
        let body: @Sendable (TaskAttempt<Weighing>) async throws -> Weighing.Output = { task in
            seen.send(task.instance)
            return Weighing.Output(weight: task.attempt)
        }
        try await working(body) {
            try await working(body) {
                for parcel in parcels { try await ends(parcel) }
            }
        }
        var instances: [String] = []
        for _ in parcels { instances.append(await seen.next() ?? "") }
        #expect(instances.sorted() == parcels.map(\.name).sorted())
        for parcel in parcels { #expect(try await parcel.read().context.weight == 1) }
    }

    private func whatDoesNotFit() async throws {
        let letter = try await host.start(Letter.self, "misread")
        try await working(Stamping<Int, Int>.self) { _ in
            1
        } while: {
            try await ends(letter)
        }
        #expect(
            try await letter.read().context.error == [
                "type": "invalid-input", "message": "the input does not fit Int: it is a string, not an int",
                "attempts": 1,
            ])
        let long = try await host.start(Letter.self, "too-long")
        try await working(Stamping<String, String>.self) { _ in
            String(repeating: "x", count: 1 << 20)
        } while: {
            try await ends(long)
        }
        #expect(
            try await long.read().context.error == [
                "type": "invalid-output", "message": "the output has 1048578 bytes, more than 1048576", "attempts": 1,
            ])
        let none = try await host.start(Letter.self, "no-number")
        try await working(Stamping<String, Double>.self) { _ in
            .nan
        } while: {
            try await ends(none)
        }
        #expect(try await none.read().context.error?.object?["type"] == "invalid-output")
    }

    private func tasksThatAreGivenBack() async throws {
        let parcel = try await host.start(Delivery.self, "given-back")
        let first = try await one(WorkOptions(lease: .seconds(60), grace: .zero)) { _ in
            await untilCancelled()
            throw CancellationError()
        }
        let second = try await one { _ in Weighing.Output(weight: 1) }
        #expect(second.key == first.key)
        #expect(second.attempt == (countsReturned ? 2 : 1))
        #expect(try await parcel.read().state == .packed)
    }
}

extension TaskSuite {
    /// Runs a worker while something is checked.
    private func working<T: MachineTask>(
        _ task: T.Type, _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output,
        while check: () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Signs of life come every 1.7 seconds.
            group.addTask { try await host.work(task, WorkOptions(lease: .seconds(5)), body) }
            try await check()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func working(
        _ body: @escaping @Sendable (TaskAttempt<Weighing>) async throws -> Weighing.Output,
        while check: () async throws -> Void
    ) async throws {
        try await working(Weighing.self, body, while: check)
    }

    /// Runs a worker for one attempt. When this returns, the host knows the result of the attempt.
    private func one(
        _ options: WorkOptions? = nil,
        _ body: @escaping @Sendable (TaskAttempt<Weighing>) async throws -> Weighing.Output
    ) async throws -> TaskAttempt<Weighing> {
        let begun = Signal<TaskAttempt<Weighing>>()
        let options = try options ?? WorkOptions(lease: .seconds(60))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await host.work(Weighing.self, options) { task in
                    begun.send(task)
                    return try await body(task)
                }
            }
            let task = await begun.next()
            group.cancelAll()
            try await group.waitForAll()
            return try #require(task)
        }
    }

    /// Waits until an instance is done.
    private func ends<M: MachineDefinition>(_ instance: Instance<M>) async throws {
        for try await _ in instance.transitions() {}
    }
}

/// Waits until the current task is cancelled.
package func untilCancelled() async {
    let (nothing, source) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    source.finish()
}

/// The messages of a worker to a test.
private final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send(_ value: Value) { continuation.yield(value) }

    /// Returns the next message; `nil` if the test is cancelled.
    @discardableResult func next() async -> Value? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}

private struct Jammed: Error, CustomStringConvertible {
    var description: String { "the press is jammed" }
}

/// A machine with every possible end of a task.
package enum Delivery: MachineDefinition {
    package enum State: String, MachineState { case packing, packed, refused, recalled }
    package enum Event: String, MachineEvent { case recall }

    package struct Context: Codable, Sendable {
        package var items: [String] = []
        package var weight: Int?
        package var error: JSONValue?

        package init(items: [String] = []) { self.items = items }
    }

    package static let definition = Definition<Self>("delivery", initial: .packing, context: Context()) {
        In(.packing) {
            Invoke(
                task: Weighing.self, input: ["items": "context.items"], timeout: .seconds(3_600),
                retry: [
                    Retry(on: ["busy"], attempts: 3, first: .seconds(2)),
                    Retry(attempts: 3, first: .seconds(2), except: ["declined"]),
                ]
            ) {
                OnDone(to: .packed, .assign(["weight": "event.data.weight"]))
                OnError(to: .refused, .assign(["error": "event.data"]))
            }
            On(.recall, to: .recalled)
        }
        In(.packed, .final)
        In(.refused, .final)
        In(.recalled, .final)
    }
}

package enum Weighing: MachineTask {
    package static let queue = "weighing"
    package struct Input: Codable, Sendable { package let items: [String] }
    package struct Output: Codable, Sendable {
        package let weight: Int

        package init(weight: Int) { self.weight = weight }
    }
}

/// A machine whose task is tried once.
private enum Letter: MachineDefinition {
    enum State: String, MachineState { case stamping, stamped, failed }
    typealias Event = NoEvent
    struct Context: Codable, Sendable { var error: JSONValue? }

    static let definition = Definition<Self>("letter", initial: .stamping, context: Context()) {
        In(.stamping) {
            Invoke(task: "stamping", input: "instance.name", retry: Retry(attempts: 1)) {
                OnDone(to: .stamped)
                OnError(to: .failed, .assign(["error": "event.data"]))
            }
        }
        In(.stamped, .final)
        In(.failed, .final)
    }
}

/// Workers of one queue with different ideas of its types.
private enum Stamping<In: Decodable & Sendable, Out: Encodable & Sendable>: MachineTask {
    typealias Input = In
    typealias Output = Out
    static var queue: String { "stamping" }
}
