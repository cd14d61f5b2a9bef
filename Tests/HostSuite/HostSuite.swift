package import StateMachines
import Testing

/// The checks that every host must pass: the same moves, and the same refusals to the letter, wherever instances live.
package struct HostSuite: Sendable {
    let host: any MachineHost
    /// Advances the host's time.
    let advance: @Sendable (Duration) async throws -> Void

    package init(_ host: any MachineHost, advance: @escaping @Sendable (Duration) async throws -> Void) {
        self.host = host
        self.advance = advance
    }

    /// Runs all checks. Each has its own instances, so one host serves all.
    package func run() async throws {
        try await moves()
        try await refusals()
        try await types()
        try await starts()
        try await keys()
        try await expectations()
        try await virtualTime()
        try await whatAnInstanceSendsToItself()
        try await histories()
        try await historiesThatGrow()
        try await failures()
        try await versions()
        try await mismatches()
        await outputs()
    }

    private func moves() async throws {
        let job = try await host.start(Job.self, "moves")
        let start = try await job.read()
        #expect(start.state == .idle)
        #expect(start.seq == 1)
        #expect(start.accepted == [.begin, .echo])
        #expect(start.context.count == 0)
        let move = try await job.send(.begin(count: 2))
        #expect("\(move)" == "idle -> working.first   (seq 1 -> 2)")
        #expect(move.event == "begin")
        #expect(move.eventName == .begin && move.data == ["count": 2])
        if case .begin(count: 2)? = move.sent {} else { Issue.record("\(String(describing: move.sent))") }
        #expect(move.exited == [.idle])
        #expect(move.entered == [.working, .first])
        #expect(move.state == .working(.first))
        #expect(move.context.count == 2)
        let view = try await job.read()
        #expect(view.active == [.working, .first])
        #expect(view.state == .working(.first))
        #expect(view.status == .running)
    }

    private func refusals() async throws {
        let job = try await host.start(Job.self, "refusals")
        let notAccepted = await refusal { try await job.send(.next) }
        #expect(notAccepted?.reason == .notAccepted)
        #expect(notAccepted?.accepted == [.begin, .echo])
        #expect(
            notAccepted?.description
                == "refusals does not accept 'next' in state 'idle' (seq 1); accepted now: begin, echo")
        let guarded = await refusal { try await job.send(.begin(count: -1)) }
        #expect(guarded?.reason == .guardRejected)
        #expect(
            guarded?.description.hasPrefix(
                "refusals, in state 'idle' (seq 1): 'begin' was rejected: guard 'event.data.count >= 0' at "
                    + "HostSuite/HostSuite.swift:") == true)
        #expect(guarded?.description.hasSuffix("is false (event.data.count = -1)") == true)
        let unknown = await refusal { try await job.send(.unused) }
        #expect(unknown?.reason == .unknownEvent)
        #expect(unknown?.description.hasPrefix("Machine 'job' has no event 'unused'") == true)
        try await job.send(.begin(count: 0))
        let undone = await refusal { try await job.send(.divide) }
        #expect(undone?.reason == .expressionFailed)
        #expect(undone?.description.contains("division by zero") == true)
        try await job.send(.next)
        try await job.send(.next)
        let finished = await refusal { try await job.send(.next) }
        #expect(finished?.reason == .finished)
        #expect(finished?.description == "refusals, in state 'ended' (seq 4), is done and accepts no more events")
        #expect(try await job.read().status == .done)
    }

    /// Each host knows the types of the events' data.
    private func types() async throws {
        let refused = await error { _ = try await host.apply(Misspelt.self) }
        #expect(refused?.code == "invalid-definition")
        #expect(
            refused?.message.hasSuffix(": event 'begin' has no field 'cuont'; did you mean 'count'?") == true)
        #expect(refused?.message.contains("HostSuite/HostSuite.swift:") == true)
    }

    private func starts() async throws {
        _ = try await host.start(Job.self, "starts", context: Job.Context(count: 7))
        #expect(try await host.instance(Job.self, "starts").read().context.count == 7)
        let twice = await error { _ = try await host.start(Job.self, "starts") }
        #expect(twice == HostError(code: "instance-exists", message: "Instance 'starts' exists already"))
        let missing = await error { _ = try await host.instance(Job.self, "nobody") }
        #expect(missing == HostError(code: "instance-not-found", message: "There is no instance 'nobody'"))
        let name = await error { _ = try await host.start(Job.self, "no blanks") }
        #expect(name?.code == "invalid-name")
        #expect(
            name?.message == "'no blanks' is no instance name: 1 to 200 characters of A-Z a-z 0-9 _ . : @ -")
        let keyed = try await host.start(Job.self, "starts-2", context: nil, key: "start-2")
        try await keyed.send(.begin(count: 1))
        _ = try await host.start(Job.self, "starts-2", context: nil, key: "start-2")
        #expect(try await keyed.read().seq == 2)
        let reused = await error { _ = try await host.start(Job.self, "starts-3", context: nil, key: "start-2") }
        #expect(reused?.code == "key-reused")
        #expect(reused?.message == "Key 'start-2' was used for another request; nothing was changed")
    }

    private func keys() async throws {
        let job = try await host.start(Job.self, "keys")
        let first = try await job.send(.begin(count: 3), SendOptions(key: "k-1"))
        try await job.send(.next)
        let again = try await job.send(.begin(count: 3), SendOptions(key: "k-1"))
        #expect("\(first)" == "\(again)")
        #expect(again.context.count == 3)
        #expect(try await job.read().seq == 3)
        let reused = await error { try await job.send(.begin(count: 4), SendOptions(key: "k-1")) }
        #expect(reused?.code == "key-reused")
        #expect(reused?.key == "k-1")
    }

    private func expectations() async throws {
        let job = try await host.start(Job.self, "expectations")
        let refused = await refusal { try await job.send(.begin(count: 1), SendOptions(expectedSeq: 2)) }
        #expect(refused?.reason == .preconditionFailed)
        #expect(refused?.description == "expectations, in state 'idle' (seq 1), is not at seq 2")
        try await job.send(.begin(count: 1), SendOptions(expectedSeq: 1))
        #expect(try await job.read().seq == 2)
    }

    private func virtualTime() async throws {
        let job = try await host.start(Job.self, "time")
        try await job.send(.begin(count: 1))
        try await advance(.milliseconds(9_999))
        #expect(try await job.read().state == .working(.first))
        try await advance(.milliseconds(1))
        let view = try await job.read()
        #expect(view.state == .working(.second))
        #expect(view.seq == 3)
    }

    private func whatAnInstanceSendsToItself() async throws {
        let job = try await host.start(Job.self, "echo")
        let move = try await job.send(.echo)
        #expect("\(move)" == "idle -> working.first   (seq 1 -> 3)")
        #expect(move.entered == [.working, .first])
        #expect(move.context.count == 9)
        #expect(try await job.read().seq == 3)
    }

    private func histories() async throws {
        let job = try await host.start(Job.self, "history")
        try await job.send(.begin(count: 5))
        try await job.send(.next)
        try await job.send(.next)
        var rows: [String] = []
        for try await move in job.transitions() {
            rows.append("\(move.event) \(move) \(move.context.count)")
            #expect(move.data == (move.eventName == .begin ? ["count": 5] : nil))
        }
        #expect(
            rows == [
                "init  -> idle   (seq 0 -> 1) 0", "begin idle -> working.first   (seq 1 -> 2) 5",
                "next working.first -> working.second   (seq 2 -> 3) 5",
                "next working.second -> ended   (seq 3 -> 4) 5",
            ])
        var late: [Int64] = []
        for try await move in job.transitions(after: 2) { late.append(move.seq) }
        #expect(late == [3, 4])
    }

    private func historiesThatGrow() async throws {
        let job = try await host.start(Job.self, "grows")
        var iterator = job.transitions(after: 1).makeAsyncIterator()
        try await job.send(.begin(count: 0))
        #expect(try await iterator.next()?.state == .working(.first))
        try await job.send(.next)
        try await job.send(.next)
        #expect(try await iterator.next()?.exited == [.first])
        #expect(try await iterator.next()?.state == .ended)
        #expect(try await iterator.next() == nil)
    }

    private func failures() async throws {
        let job = try await host.start(Job.self, "fails")
        try await job.send(.begin(count: 0))
        try await job.send(.next)
        try await advance(.seconds(10))
        let view = try await job.read()
        #expect(view.status == .failed)
        #expect(view.failure?.contains("division by zero") == true)
        let refused = await refusal { try await job.send(.next) }
        #expect(refused?.reason == .failed)
        #expect(
            refused?.description
                == "fails, in state 'working.second' (seq 4), has failed and waits for an operator")
        var last: Transition<Job>?
        for try await move in job.transitions(after: 3) {
            last = move
            break
        }
        #expect(last?.failure?.contains("division by zero") == true)
        #expect(last?.exited == [])
    }

    private func versions() async throws {
        let first = try await host.apply(Versioned<One>.self)
        #expect((first.machine, first.version, first.isNew) == ("versioned", 1, true))
        #expect(try await host.apply(Versioned<One>.self).isNew == false)
        #expect(try await host.apply(Versioned<Two>.self).version == 2)
        // A start of an instance of the first version does not make a third version.
        let old = try await host.start(Versioned<One>.self, "versioned-1")
        #expect(try await old.send(.go).to == [.a])
        let new = try await host.start(Versioned<Two>.self, "versioned-2")
        #expect(try await new.send(.go).to == [.b])
        #expect(try await host.apply(Versioned<Two>.self).version == 2)
        #expect(try await host.apply(Versioned<Two>.self).warnings.isEmpty)
        // Whoever applies a machine is warned of work that nothing here does.
        let warnings = try await host.apply(Labelling.self).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("2:1: warning: "), "\(warnings)")
        #expect(warnings[0].contains("'exec'") || warnings[0].contains("'label'"), "\(warnings)")
    }

    private func mismatches() async throws {
        _ = try await host.start(Job.self, "mismatch")
        let lacking = await error { _ = try await host.instance(Poor.self, "mismatch") }
        #expect(lacking?.code == "machine-mismatch")
        #expect(
            lacking?.message
                == "'mismatch' runs version 1 of 'job', which has the state 'working.second' that Poor lacks")
    }

    private func outputs() async {
        let message =
            "HostSuite/HostSuite.swift:\(Flashing.line + 2): 'emit' works only in a StateMachine of the Swift library, "
            + "whose observers hear it: a history cannot keep outputs yet; remove it, or request an effect with 'call'"
        let refused = HostError(code: "invalid-definition", message: message)
        #expect(await error { _ = try await host.apply(Flashing.self) } == refused)
        #expect(await error { _ = try await host.start(Flashing.self, "outputs") } == refused)
    }

    private func refusal(_ body: () async throws -> Void) async -> Refusal<Job>? {
        do {
            try await body()
            return nil
        } catch {
            return error as? Refusal<Job>
        }
    }

    private func refusal(_ body: () async throws -> Transition<Job>) async -> Refusal<Job>? {
        await refusal { _ = try await body() }
    }

    private func error(_ body: () async throws -> Void) async -> HostError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? HostError
        }
    }

    private func error(_ body: () async throws -> Transition<Job>) async -> HostError? {
        await error { _ = try await body() }
    }
}

/// A machine with every mistake that hosts can make.
package enum Job: MachineDefinition {
    package enum State: StateValue, Decodable, Hashable {
        case idle, working(Working), ended

        package enum Working: String, Decodable { case first, second }
        package enum Name: String, MachineState {
            case idle, working, first = "working.first", second = "working.second", ended
        }
        enum CodingKeys: CodingKey { case idle, working, ended }
    }

    package enum Event: EventValue, Codable {
        case begin(count: Int), next, divide, echo, unused

        package enum Name: String, MachineEvent, CodingKey { case begin, next, divide, echo, unused }
        typealias CodingKeys = Name
    }

    package struct Context: Codable, Sendable {
        package var count = 0
    }

    package static let definition = Definition<Self>("job", initial: .idle, context: Context()) {
        In(.idle) {
            On(
                .begin, to: .working, if: "event.data.count >= 0",
                .assign(["count": "event.data.count"]))
            On(.echo, .send(Event.Name.begin, data: ["count": 9]))
        }
        In(.working, initial: .first) { On(.divide, .assign(["count": "1 / context.count"])) }
        In(.first) {
            On(.next, to: .second)
            After(.seconds(10), to: .second)
        }
        In(.second) {
            On(.next, to: .ended)
            After(.seconds(10), .assign(["count": "1 / context.count"]))
        }
        In(.ended, .final)
    }
}

/// A machine whose guard reads what its event does not carry.
private enum Misspelt: MachineDefinition {
    enum State: String, MachineState { case idle }
    typealias Event = Job.Event

    static let definition = Definition<Self>("misspelt", initial: .idle) {
        In(.idle) { On(.begin, if: "event.data.cuont >= 0") }
    }
}

package enum One {}
package enum Two {}

/// Two texts of one machine.
package enum Versioned<Text>: MachineDefinition {
    package enum State: String, MachineState { case start, a, b }
    package enum Event: String, MachineEvent { case go }

    package static var definition: Definition<Self> {
        Definition("versioned", initial: .start) {
            In(.start) { On(.go, to: Text.self == One.self ? .a : .b) }
            Path(from: .a, to: .b, by: .go)
            Path(from: .b, to: .a, by: .go)
        }
    }
}

/// A machine that runs a program, which only a daemon can do.
package enum Labelling: MachineDefinition {
    package enum State: String, MachineState { case idle }
    package enum Event: String, MachineEvent { case go }

    package static let definition = Definition<Self>(
        text: """
            {"id": "labelling", "initial": "idle", "states": {"idle": {"on": {"go": {
            "actions": {"call": {"exec": "label"}}}}}}}
            """)
}

/// A machine of the same name, but without a state.
package enum Poor: MachineDefinition {
    package enum State: String, MachineState { case idle, working, first = "working.first", ended }
    package enum Event: String, MachineEvent { case begin, next, divide, echo }

    package static let definition = Definition<Self>("job", initial: .idle) {
        Path(from: .idle, to: .working, by: .begin)
        In(.working, initial: .first) { On(.next, to: .ended) }
    }
}

/// A machine that emits, which only memory can do.
private enum Flashing: MachineDefinition {
    enum State: String, MachineState { case idle }
    enum Event: String, MachineEvent { case go }

    static let line = #line
    static let definition = Definition<Self>("flashing", initial: .idle) {
        In(.idle) { On(.go, .emit("flash")) }
    }
}
