import Foundation
import Statechart
import Testing
import ThreadTesting
import WorkflowJSON

/// Runs the vectors of invocations and emitted events that need one instance only.
@Suite(.ownThreads) struct InvokeConformanceTests {
    @Test(
        .timeLimit(.minutes(20)),
        .enabled(ConformanceFolder.absence) { try ConformanceFolder.isDemanded("invoke/xstate") })
    func everyInvokeVectorPasses() throws {
        let files = try ConformanceFolder.files(in: "invoke/w3c") + ConformanceFolder.files(in: "invoke/xstate")
        let vectors = try files.map { try InvokeVector(file: $0) }.filter(\.isOfOneInstance)
        var failures: [String] = []
        for vector in vectors {
            do {
                try InvokeRun.play(vector)
            } catch {
                failures.append("\(vector.name): \(error)")
            }
        }
        print("invoke: \(vectors.count - failures.count) passed, \(failures.count) failed")
        for failure in failures { print("  failed: \(failure)") }
        #expect(vectors.count > 10 && failures == [])
    }
}

/// A file of `conformance/invoke`.
private struct InvokeVector {
    let name: String
    let definition: String
    let requires: [String]
    let steps: [JSONObject]

    init(file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        name = file.deletingPathExtension().lastPathComponent
        definition = try StatechartVector(file: file).definition
        guard let root = try JSONReader.value(from: text).object, case .array(let requires)? = root["requires"] else {
            throw VectorError(description: "\(name) is no vector")
        }
        self.requires = requires.compactMap(\.string)
        if case .array(let script)? = root["script"] { steps = script.compactMap(\.object) } else { steps = [] }
    }

    /// True if the vector needs one instance only.
    var isOfOneInstance: Bool {
        requires.allSatisfy { !["machine", "spawn"].contains($0) && !$0.hasPrefix("send.to") }
    }
}

/// A run of one vector on a virtual clock.
private struct InvokeRun {
    let machine: Machine
    let identity = InstanceIdentity(name: "vector", version: 1, startedAt: .zero)
    var snapshot: Snapshot
    var now = LogicalTime.zero
    /// The invocations that began in the current step.
    var begun: [(id: String, input: JSONValue?)] = []
    var cancelled: [String] = []
    /// The events that were emitted in the current step.
    var emitted: [Event] = []

    static func play(_ vector: InvokeVector) throws {
        guard !vector.steps.isEmpty else { throw VectorError(description: "it has no script") }
        let machine = try DefinitionReader.read(vector.definition, syntax: .json, isInMemory: true).machine
        var run = InvokeRun(
            machine: machine,
            snapshot: Snapshot(status: .running, configuration: [], context: machine.context, memory: []))
        for (number, step) in vector.steps.enumerated() {
            run.begun = []
            run.cancelled = []
            run.emitted = []
            try run.take(step)
            if let difference = run.difference(from: step) {
                throw VectorError(description: "step \(number + 1): \(difference)")
            }
        }
    }

    private mutating func take(_ step: JSONObject) throws {
        if let start = step["start"]?.object {
            return try follow(.start(with: start["data"]?.object ?? JSONObject(), at: now), from: nil)
        }
        if let event = step["event"]?.object {
            let event = Event(name: event["name"]?.string ?? "", data: event["data"], at: now)
            return try follow(.event(event), from: snapshot)
        }
        if let id = step["done"]?.string { return try end(id, "done.invoke.\(id)", step["data"]) }
        if let id = step["fail"]?.string { return try end(id, "error.invoke.\(id)", step["error"]) }
        guard case .int(let milliseconds)? = step["after_ms"] else {
            throw VectorError(description: "a step of an unknown kind")
        }
        let until = LogicalTime(milliseconds: now.milliseconds + milliseconds)
        while let next = snapshot.armed.next, next.due <= until, snapshot.status == .running {
            now = max(now, next.due)
            try follow(.coming(next, at: next.due), from: snapshot)
        }
        now = until
    }

    private mutating func end(_ id: String, _ event: String, _ data: JSONValue?) throws {
        guard let invocation = snapshot.armed.invocation(id) else {
            throw VectorError(description: "'\(id)' is not live")
        }
        let result = Event(name: event, data: data, at: now)
        try follow(.result(Taken(invocation, result: result)), from: snapshot)
    }

    private mutating func follow(_ input: Input, from before: Snapshot?) throws {
        var live = before?.armed ?? []
        let chain = try machine.chain(input, from: before, as: identity).get()
        for link in chain.links {
            emitted += link.macrostep.emitted
            for request in link.macrostep.requests {
                switch request {
                case .arm, .call: break
                case .invoke(_, let request):
                    let text = try JSONReader.value(from: request.text).object
                    begun.append((request.name, text?["input"]))
                case .cancel(let id):
                    guard let pending = live.first(where: { $0.id == id }), pending.kind == .invocation else {
                        continue
                    }
                    cancelled.append(pending.invocation ?? "")
                }
            }
            live = link.macrostep.snapshot.armed
        }
        snapshot = chain.snapshot
    }

    /// Returns an emitted event as vectors write it.
    private static func written(_ event: Event) -> JSONValue {
        var object: JSONObject = ["event": .string(event.name)]
        if let data = event.data { object["data"] = data }
        return .object(object)
    }

    /// Returns the difference from the vector; `nil` if there is none.
    private func difference(from step: JSONObject) -> String? {
        func differs(_ key: String, _ value: String, _ wanted: (JSONValue) -> String) -> String? {
            guard let given = step[key], wanted(given) != value else { return nil }
            return "\(key) is \(value), not \(wanted(given))"
        }
        func text(_ value: JSONValue) -> String { JSONWriter.string(value) }
        func list(_ ids: [String]) -> String { text(.array(ids.map(JSONValue.string))) }
        func set(_ value: JSONValue) -> String {
            guard case .array(let elements) = value else { return text(value) }
            return list(elements.compactMap(\.string).sorted())
        }
        let live = snapshot.armed.filter { $0.kind == .invocation }.compactMap(\.invocation).sorted()
        var inputs = JSONObject()
        for (id, input) in begun { inputs[id] = input }
        return differs("nextConfiguration", list(machine.leafPaths(of: snapshot.configuration).sorted()), set)
            ?? differs("begun", list(begun.map(\.id)), text) ?? differs("cancelled", list(cancelled), text)
            ?? differs("emitted", text(.array(emitted.map(Self.written))), text)
            ?? differs("live", list(live), set) ?? differs("inputs", text(.object(inputs)), text)
            ?? differs("context", text(.object(snapshot.context)), text)
            ?? differs("status", snapshot.status.rawValue) { $0.string ?? "" }
    }
}
