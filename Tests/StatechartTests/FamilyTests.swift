import Statechart
import Testing

/// Tests families of events: the longest prefix comes first, however many there are.
@Suite struct FamilyTests {
    private static func machine(more families: Int) throws -> Machine {
        let more = (0..<families).map { "      other\($0).*: a\n" }.joined()
        return try DefinitionReader.read(
            """
            id: m
            initial: a
            context: {isOpen: false}
            states:
              a:
                on:
                  pay.*: one
                  pay.card.*: two
                  pay.card.visa.*: {target: three, guard: context.isOpen}
                  pay.cash.*: {target: three, guard: context.isOpen}
            \(more)
              one: {}
              two: {}
              three: {}
            """
        ).machine
    }

    private static func target(of event: String, in machine: Machine) throws -> [String] {
        let started = try machine.chain(.start(), from: nil, as: .test).get()
        switch machine.apply(.event(Event(name: event)), to: started.snapshot, as: .test) {
        case .accepted(let macrostep): return machine.leafPaths(of: macrostep.snapshot.configuration)
        case .refused, .failed: return []
        }
    }

    @Test(arguments: [
        ("pay", ["one"]), ("pay.x", ["one"]), ("pay.card", ["two"]), ("pay.card.x.y", ["two"]),
        ("pay.card.visa.x", ["two"]), ("pay.cards", ["one"]), ("pay.cash.x", ["one"]), ("pa", []), ("payment", []),
        ("card.visa", []),
    ])
    func theLongestThatHoldsIsTaken(event: String, state: [String]) throws {
        for families in [0, 1, 100] {
            #expect(try Self.target(of: event, in: Self.machine(more: families)) == state, "\(families) more")
        }
    }

    /// Acceptance is computed as far as the budget of a macrostep allows; for further events it is unknown.
    @Test func whatIsAcceptedOfVeryManyIsLookedForWithinTheBudget() throws {
        let regions = (0..<2_000).map { "      r\($0): {}\n" }.joined()
        let events = (0..<2_000).map { "      e\($0): {target: p, guard: context.isOpen}\n" }.joined()
        let machine = try DefinitionReader.read(
            "id: m\ninitial: p\ncontext: {isOpen: false}\nstates:\n  p:\n    type: parallel\n"
                + "    on:\n\(events)    states:\n\(regions)"
        ).machine
        let started = try machine.chain(.start(), from: nil, as: .test).get()
        let told = machine.acceptance(in: started.snapshot, as: .test, at: .zero).map(\.isAccepted)
        #expect(told.count == 2_000 && told.first == .some(false))
        #expect(told.last == .some(nil))
        let looked = told.prefix { $0 == false }.count
        #expect(looked < 1_000 && told.dropFirst(looked).allSatisfy { $0 == nil })
    }
}
