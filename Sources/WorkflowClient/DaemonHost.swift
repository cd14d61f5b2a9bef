public import StateMachines
import Statechart
import WorkflowAPI

/// A host with instances in a daemon: a `MachineHost` over its API. Safe to use from many tasks; call `shutdown()` once
/// when done.
public struct DaemonHost: MachineHost {
    /// The client that makes the calls.
    public let client: WorkflowClient

    public init(_ client: WorkflowClient) {
        self.client = client
    }

    /// Creates a host that connects on the first request: `unix:/run/wfd/wfd.sock`, `127.0.0.1:7070`.
    public init(_ address: String) throws(HostError) {
        do throws(AddressError) {
            self.init(WorkflowClient(address: try Address(address)))
        } catch {
            throw HostError(code: "invalid-address", message: "\(error)")
        }
    }

    /// Closes all connections.
    public func shutdown() async { await client.shutdown() }

    public func apply<M: MachineDefinition>(
        _ machine: M.Type
    ) async throws(HostError) -> StateMachines.MachineVersion {
        _ = try M.typed()
        let isJSON = M.text.first { !$0.isWhitespace } == "{"
        let applied = try await asking { () async throws(ClientError) in
            try await self.client.apply(Array(M.text.utf8), as: isJSON ? .json : .yaml)
        }
        return StateMachines.MachineVersion(
            machine: applied.machine.machine, version: applied.machine.version, isNew: applied.isNew,
            warnings: (applied.machine.warnings ?? []).map {
                "\($0.line):\($0.column): \($0.severity.rawValue): \($0.message)"
            })
    }

    public func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context?, key: String?
    ) async throws(HostError) -> StateMachines.Instance<M> {
        let typed = try M.typed()
        let data = try M.startData(context)
        var version = try await version(of: typed.machine.name, text: M.text)
        if version == nil { version = try await apply(M.self).version }
        let request = StartRequest(
            machine: typed.machine.name, version: version, instance: name, data: data.isEmpty ? nil : data)
        _ = try await asking(key: key) { () async throws(ClientError) in
            try await self.client.start(request, key: key)
        }
        return StateMachines.Instance(name: name, host: self, typed: typed)
    }

    public func instance<M: MachineDefinition>(
        _ machine: M.Type, _ name: String
    ) async throws(HostError) -> StateMachines.Instance<M> {
        let stored = try await asking { () async throws(ClientError) in try await self.client.instance(name) }
        let version = try await summary(of: stored.machine, version: stored.version)
        let typed = try TypedMachine<M>(
            try Self.machine(version, of: name), text: version.source ?? "", version: stored.version, of: name)
        let instance = StateMachines.Instance(name: name, host: self, typed: typed)
        _ = try await read(instance)
        return instance
    }

    /// Sends an event. If the answer is lost, the host sends the event again with the same key, until the client's
    /// patience ends. The host makes a key if the caller has none.
    public func send<M: MachineDefinition>(
        _ event: M.Event, to instance: StateMachines.Instance<M>, _ options: SendOptions
    ) async throws -> StateMachines.Transition<M> {
        let (name, data) = try M.encoded(event)
        let request = SendRequest(
            event: name, data: data, expect: options.expectedSeq.map { .init(seq: $0) })
        let key = options.key ?? RandomKey.next()
        let move: HostMove
        do throws(ClientError) {
            let answer = try await client.untilKnown { () async throws(ClientError) in
                try await client.send(request, to: instance.name, SendParameters(detail: true), key: key)
            }
            move = HostMove(
                event: answer.event, data: data, from: answer.from, to: answer.to, exited: answer.exited ?? [],
                entered: answer.entered ?? [], fromSeq: answer.fromSeq, seq: answer.seq,
                context: try await context(in: answer, of: instance.name))
        } catch {
            if let problem = error.problem,
                let refusal = StateMachines.Refusal<M>(
                    code: problem.type.rawValue, message: problem.detail, accepted: problem.accepted ?? [],
                    in: instance.typed)
            {
                throw refusal
            }
            throw HostError(error, key: key)
        }
        return try instance.typed.transition(move, sent: event, of: instance.name)
    }

    public func read<M: MachineDefinition>(
        _ instance: StateMachines.Instance<M>
    ) async throws(HostError) -> InstanceView<M> {
        let (stored, events) = try await asking { () async throws(ClientError) in
            (try await self.client.instance(instance.name), try await self.client.events(ofInstance: instance.name))
        }
        return try instance.typed.view(
            of: instance.name, leaves: stored.configuration, context: stored.context,
            accepted: events.items.filter { $0.accepted != false }.map(\.event), seq: stored.seq,
            status: stored.status.rawValue, failure: stored.failure?.detail)
    }

    public func transitions<M: MachineDefinition>(
        of instance: StateMachines.Instance<M>, after seq: Int64
    ) -> AsyncThrowingStream<StateMachines.Transition<M>, any Error> {
        let (stream, continuation) = AsyncThrowingStream<StateMachines.Transition<M>, any Error>.makeStream()
        let telling = Task {
            do {
                for try await row in client.followHistory(ofInstance: instance.name, after: seq, detail: true) {
                    let past = try await client.instance(instance.name, seq: row.seq)
                    let move = HostMove(
                        event: row.event, data: row.data, from: row.from, to: row.to, exited: row.exited ?? [],
                        entered: row.entered ?? [], fromSeq: row.seq - 1, seq: row.seq,
                        context: past.context,
                        failure: row.kind == "failed" ? past.failure?.detail : nil)
                    continuation.yield(try instance.typed.transition(move, of: instance.name))
                }
                continuation.finish()
            } catch let error as ClientError {
                continuation.finish(throwing: HostError(error))
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in telling.cancel() }
        return stream
    }
}

extension DaemonHost {
    /// Returns the context of an answer. The daemon leaves the context out of an answer when too many large ones wait.
    private func context(in answer: SendAnswer, of name: String) async throws(ClientError) -> JSONObject {
        if let context = answer.context { return context }
        return try await client.instance(name, seq: answer.seq).context
    }

    /// Returns the newest version of a machine with this text, or `nil` if there is none. Searching only the latest
    /// version would let two programs with two definitions make versions in turn.
    private func version(of machine: String, text: String) async throws(HostError) -> Int64? {
        do throws(HostError) {
            let latest = try await asking { () async throws(ClientError) in try await self.client.machine(machine) }
            if latest.source == text { return latest.version }
            for number in stride(from: latest.version - 1, to: 0, by: -1)
            where try await summary(of: machine, version: number).source == text {
                return number
            }
            return nil
        } catch {
            guard error.code == ProblemType.machineNotFound.rawValue else { throw error }
            return nil
        }
    }

    private func summary(of machine: String, version: Int64) async throws(HostError) -> MachineSummary {
        try await asking { () async throws(ClientError) in
            try await self.client.machine(machine, version: version)
        }
    }

    private static func machine(_ version: MachineSummary, of instance: String) throws(HostError) -> Machine {
        do throws(DefinitionError) {
            return try version.machine()
        } catch {
            let reason = error.diagnostics.first.map(\.message) ?? "no reason"
            throw HostError(code: "machine-mismatch", message: "The machine of '\(instance)' cannot be read: \(reason)")
        }
    }

    private func asking<Value: Sendable>(
        key: String? = nil, _ body: () async throws(ClientError) -> Value
    ) async throws(HostError) -> Value {
        do throws(ClientError) {
            return try await body()
        } catch {
            throw HostError(error, key: key)
        }
    }
}

extension HostError {
    init(_ error: ClientError, key: String? = nil) {
        self.init(code: error.problem?.type.rawValue ?? error.code.rawValue, message: error.description, key: key)
    }
}

/// Creates keys for events whose sender has none.
private enum RandomKey {
    static func next() -> String {
        let digits = (0..<2).map { _ in UInt64.random(in: .min ... .max) }.map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return "swift-" + digits.joined()
    }
}
