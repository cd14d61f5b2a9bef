import Statechart
import Testing
import WorkflowJSON

/// Tests the row that undoes the effects of a clock that was ahead: it changes due times, and nothing else.
@Suite struct ClockResetTests {
    private static let definition = """
        id: egg
        initial: raw
        context: {n: 1}
        states:
          raw: {on: {heat: boiling}}
          boiling: {after: {2m: done, 5m: done}, on: {look: {}}}
          done: {type: final}
        """

    private static let present: Int64 = 1_000_000
    private static let ahead: Int64 = 90_000_000

    private let machine: Machine
    private let now: Snapshot

    init() throws {
        machine = try DefinitionReader.read(Self.definition).machine
        var snapshot = try Self.after(.start(), nil, machine)
        let heat = Event(name: "heat", at: LogicalTime(milliseconds: Self.present + Self.ahead))
        snapshot = try Self.after(.event(heat), snapshot, machine)
        now = snapshot
    }

    private static func after(_ input: Input, _ snapshot: Snapshot?, _ machine: Machine) throws -> Snapshot {
        guard case .accepted(let macrostep) = machine.apply(input, to: snapshot, as: .test) else {
            throw Refused()
        }
        return macrostep.snapshot
    }

    private struct Refused: Error {}

    private func data(of difference: Int64 = ahead, isAhead: (Pending) -> Bool = { _ in true }) -> JSONObject {
        let reset = Reset(
            of: now, clock: difference, version: InstanceIdentity.test.version, failure: nil, isAhead: isAhead)
        return reset.data(of: machine).object ?? JSONObject()
    }

    private func outcome(_ data: JSONObject, event: String = Reset.clockEvent) -> Snapshot? {
        let event = Event(name: event, data: .object(data), at: LogicalTime(milliseconds: Self.present))
        return try? Self.after(.reset(event), now, machine)
    }

    @Test func onlyWhatIsDueChanges() throws {
        let after = try #require(outcome(data()))
        #expect(after.armed.map(\.due.milliseconds) == [Self.present + 120_000, Self.present + 300_000])
        var expected = now
        expected.seq += 1
        expected.armed = after.armed
        #expect(after == expected && after.armed.map(\.id) == now.armed.map(\.id))
        let middle = LogicalTime(milliseconds: Self.present + Self.ahead + 200_000)
        let first = try #require(outcome(data { $0.due < middle }))
        #expect(first.armed.map(\.due.milliseconds) == [Self.present + 120_000, Self.present + Self.ahead + 300_000])
    }

    /// The row must have the declared form, or the instance does not take it.
    @Test func everythingElseIsRefused() throws {
        let whole = data()
        #expect(outcome(whole, event: "reset") == nil && outcome(whole, event: "undo") == nil)
        func changed(_ key: String, _ value: JSONValue?) -> JSONObject {
            var copy = whole
            copy[key] = value
            return copy
        }
        func changed(_ key: String, of value: JSONValue) -> JSONObject {
            var snapshot = whole["snapshot"]?.object ?? JSONObject()
            snapshot[key] = value
            return changed("snapshot", .object(snapshot))
        }
        #expect(outcome(changed("clock", nil)) == nil)
        for difference in [0, -1, Self.ahead - 1, Int64.max] {
            #expect(outcome(changed("clock", .int(difference))) == nil, "\(difference)")
        }
        #expect(outcome(changed("to", 1)) == nil)
        #expect(outcome(changed("timers", "due")) == nil)
        #expect(outcome(changed("invocations", "again")) == nil)
        #expect(outcome(changed("context", of: ["n": 2])) == nil)
        #expect(outcome(changed("configuration", of: ["raw"])) == nil)
        #expect(outcome(changed("status", of: "suspended")) == nil)
        #expect(outcome(changed("armed", of: [])) == nil)
        guard case .array(let armed)? = whole["snapshot"]?.object?["armed"] else {
            Issue.record("nothing is armed")
            return
        }
        #expect(armed.count == 2 && outcome(changed("armed", of: .array([armed[0]]))) == nil)
        #expect(outcome(changed("armed", of: .array(armed))) != nil)
    }
}
