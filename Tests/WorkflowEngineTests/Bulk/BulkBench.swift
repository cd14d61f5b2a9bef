import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// An engine with many instances of one machine, of which some have failed.
struct BulkBench {
    static let pot = """
        id: pot
        initial: idle
        context: {n: 0, by: 0}
        states:
          idle:
            on:
              poke: {actions: {send: count}}
              count: {target: counted, actions: {assign: {n: 10 / context.by}}}
              go: busy
          busy: {after: {2h: idle}}
          counted: {type: final}
        """

    let timed: TimedEngine

    var engine: Engine { timed.engine }

    /// - Parameters:
    ///   - count: The number of instances: `p-0`, `p-1`, …
    ///   - isFailed: Returns true for the numbers of failed instances.
    init(
        _ count: Int, of definition: String = pot, limits: EngineLimits = EngineLimits(),
        failed isFailed: (Int) -> Bool = { _ in false }
    ) async throws {
        timed = try await TimedEngine(definition, limits: limits)
        for number in 0..<count {
            try await timed.start("pot", "p-\(number)")
            if isFailed(number) { try await timed.send("poke", to: "p-\(number)") }
        }
    }

    func begin(
        _ name: String, _ action: BulkAction, _ selection: BulkSelection = BulkSelection(machines: ["pot"]),
        expect: String? = nil, reason: String? = nil, names: [InstanceName] = []
    ) async throws -> BulkView {
        let targets: BulkRequest.Targets =
            names.isEmpty ? .selection(selection) : .names(names.count, BulkRequest.digest(of: names))
        let request = BulkRequest(action: action, targets: targets, expect: expect, reason: reason)
        return try await engine.begin(run: name, request, names, by: .test)
    }

    /// Waits for the end of a run.
    func ended(_ view: BulkView) async throws -> BulkView {
        try await eventually("the run has ended") { try await run(view).record.state == .done }
        return try await run(view)
    }

    func run(_ view: BulkView) async throws -> BulkView {
        try await engine.run(named: view.record.key.name, by: .test)
    }

    func rehearse(
        _ action: BulkAction, _ selection: BulkSelection = BulkSelection(machines: ["pot"]), names: [InstanceName] = []
    ) async throws -> BulkRehearsal {
        let targets: BulkRequest.Targets =
            names.isEmpty ? .selection(selection) : .names(names.count, BulkRequest.digest(of: names))
        return try await engine.rehearse(BulkRequest(action: action, targets: targets), names, by: .test)
    }

    /// Returns the number of a run's rows: in all instances together, and in the instance that has most.
    func rows(of run: String) async throws -> (count: Int, most: Int) {
        var count = 0
        var most = 0
        for number in 0..<Int(try await number()) {
            let rows = try await timed.rows("p-\(number)").filter { $0.note?.contains(#""run":"\#(run)""#) ?? false }
            count += rows.count
            most = max(most, rows.count)
        }
        return (count, most)
    }

    private func number() async throws -> Int64 {
        try await engine.tally(TallyQuery(limit: 1_000), by: .test).reduce(0) { $0 + $1.count }
    }

    /// Returns the message of a rejection.
    func told(_ body: () async throws -> Void) async throws -> String {
        do {
            try await body()
            return "none"
        } catch let error as Rejection {
            return "\(error.code.rawValue): \(error.message)"
        }
    }

    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let counts = try await engine.verify(instance: nil, by: .test) { event in
            if case .inconsistency(let finding) = event { Issue.record("\(finding)", sourceLocation: sourceLocation) }
        }
        #expect(counts?.differences == 0, sourceLocation: sourceLocation)
    }
}

extension BulkOutcome {
    /// The counts in short form: `done 87, changed 1`.
    var brief: String {
        Kind.allCases.filter { count(of: $0) > 0 }.map { "\($0.rawValue) \(count(of: $0))" }.joined(separator: ", ")
    }
}

extension BulkRehearsal {
    /// The numbers of instances by their first leaves afterwards.
    var places: [String: Int64] {
        Dictionary(groups.map { ($0.key.configuration.first ?? "", $0.value.count) }, uniquingKeysWith: +)
    }
}

extension Engine {
    /// Checks a request and rehearses it.
    func rehearse(
        _ request: BulkRequest, _ names: [InstanceName], by caller: Caller
    ) async throws -> BulkRehearsal {
        try await rehearse(checked(request, names, by: caller), by: caller) { _ in }
    }
}
