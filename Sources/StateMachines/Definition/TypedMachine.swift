package import Statechart
internal import WorkflowJSON

/// A compiled machine with the Swift names of its states and events. A class, so that each instance has one reference.
@usableFromInline
package final class TypedMachine<M: MachineDefinition>: Sendable {
    @usableFromInline let names: StateNames<M.StateName>
    /// The table of the machine of `M` itself; `nil` if it has none.
    let table: FlatTable?

    package var machine: Machine { names.machine }

    /// Wraps a machine of another origin, such as a stored version. The text of the error continues a sentence about
    /// the machine, and names what `M` lacks.
    ///
    /// - Parameter text: The text of the machine. If it is that of `M`, messages name lines of Swift.
    init(_ machine: Machine, text: String) throws(MachineMismatch) {
        names = try StateNames(machine, of: "\(M.self)", places: text == M.text ? M.known.places : nil)
        table = nil
        for event in machine.events where M.EventName(rawValue: event) == nil {
            throw MachineMismatch("takes the event '\(event)' that \(M.self) lacks")
        }
        do throws(MachineMismatch) { try checkContext() } catch {
            throw MachineMismatch("has a context that does not fit: \(error)")
        }
    }

    /// Wraps the machine of `M` itself. Its context must also fit.
    init(definition machine: Machine, at place: SwiftPlace, places: SwiftPlaces?) throws(DefinitionMistakes) {
        do throws(MachineMismatch) {
            names = try StateNames(machine, of: "\(M.self).State", places: places)
            // Machines with invocations have a host, which uses no table.
            table = machine.hasInvocations ? nil : FlatTable(machine, events: M.EventName.allCases.map(\.rawValue))
            try checkContext()
        } catch {
            throw DefinitionMistakes(mistakes: ["\(place): the definition of '\(machine.name)' \(error)"])
        }
        let bad = M.EventName.allCases.map(\.rawValue).filter {
            !Statechart.EventName.isValid($0) || Statechart.EventName.isReserved($0)
        }
        let extra = M.StateName.allCases.map(\.rawValue).filter { machine.state(atPath: $0) == nil }
        let mistakes =
            bad.map { "'\($0)' cannot be the name of an event" }
            + extra.map { "'\($0)' is no state of the definition of '\(machine.name)'" }
        guard mistakes.isEmpty else { throw DefinitionMistakes(mistakes: mistakes.map { "\(place): \($0)" }) }
    }

    private func checkContext() throws(MachineMismatch) {
        let context = try context(of: machine.context)
        let written = try MachineMismatch.told("\(M.self).Context") { try ValueEncoder.value(of: context) }
        for key in machine.context.keys where written.object?[key] == nil {
            throw MachineMismatch("has '\(key)' in its context, which \(M.Context.self) lacks")
        }
    }

    /// Returns the state value of a position.
    @inlinable
    func state(at position: UntypedMove) throws(MachineMismatch) -> M.State {
        try M.State(StateReading(names, at: position))
    }

    /// Returns the context value of an instance's data.
    @inlinable
    func context(of object: JSONObject) throws(MachineMismatch) -> M.Context {
        if M.Context.self == NoContext.self, let none = NoContext() as? M.Context { return none }
        return try read(object)
    }

    @usableFromInline
    func read(_ object: JSONObject) throws(MachineMismatch) -> M.Context {
        try MachineMismatch.told("the context does not fit \(M.Context.self)") {
            try ValueDecoder.value(M.Context.self, from: .object(object))
        }
    }

    /// Returns the events that match the descriptors, in the order of the cases of `M.EventName`.
    func events(of descriptors: [String]) -> [M.EventName] {
        M.EventName.allCases.filter { event in descriptors.contains { matches($0, event) } }
    }

    /// Returns true if a descriptor (`pay`, `legal.*`, `*`) matches an event.
    func matches(_ descriptor: String, _ event: M.EventName) -> Bool {
        if descriptor == "*" { return true }
        if descriptor.hasSuffix(".*") { return event.rawValue.hasPrefix(descriptor.dropLast()) }
        return descriptor == event.rawValue
    }
}
