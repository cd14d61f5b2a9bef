package import WorkflowCEL
package import WorkflowJSON

/// A validated definition, compiled to tables that the step reads. The machine is immutable and shared by all
/// instances.
package final class Machine: Sendable {
    package let name: String
    /// The rules by which the machine takes steps.
    package let semantics: Semantics
    /// True if the machine refuses an event that no transition takes; false if the event is recorded without effect.
    package let isStrict: Bool
    /// The description for people; `nil` if the definition has none.
    package let description: String?
    /// The states in document order; the first is the root.
    package let states: [State]
    /// The transitions in document order.
    package let transitions: [Transition]
    /// The context of an instance before its start data are merged in.
    package let context: JSONObject
    /// The types of the context's keys: the declared types or, in a strict machine, the types of the initial values.
    package let contextTypes: [String: CELType]
    /// The named guards in the order of the definition. `Vocabulary.firstGuard` and the numbers after it refer to them.
    package let guards: [Expression]
    /// The declared types of event data, by event name.
    package let eventData: [String: CELType]
    /// True if the definition has an action that emits events.
    package let emits: Bool
    /// The full event names in the definition, sorted, without reserved names such as `done.state.*`.
    package let events: [String]
    /// The names that callers may send, sorted: `events`, and descriptors that match several names (`legal.*`, `*`).
    package let descriptors: [String]

    private let statesByPath: [String: StateIndex]
    /// The states by id, and by path if no other state has the path as its id.
    private let statesByName: [String: StateIndex]
    private let names: Set<String>
    private let prefixes: [CandidateTable.Prefix]

    /// True if some state takes every event (`*`).
    let takesAny: Bool
    /// True if some state has transitions without an event.
    let hasEventless: Bool
    /// The tables that are computed in advance if only one leaf can be active at a time. The plan is `nil` if several
    /// leaves can be active, or if history states decide which states are entered.
    let plan: SequentialPlan?
    /// True if any state has invocations.
    package let hasInvocations: Bool
    /// The places where the machine requests effects: its invocations and calls.
    package let effects: [EffectUse]
    /// True if any state has tags.
    package let hasTags: Bool
    /// The states of each tag.
    private let statesByTag: [String: [StateIndex]]
    /// For each state, a list that contains only this state.
    let alone: [[StateIndex]]

    /// Creates a machine from tables that belong together; `DefinitionReader` makes the tables.
    ///
    /// - Precondition: `states` is in document order and begins with the root; every index in the tables exists.
    package init(
        name: String, semantics: Semantics, isStrict: Bool, description: String?, states: [State],
        transitions: [Transition], context: JSONObject, contextTypes: [String: CELType] = [:], guards: [Expression],
        eventData: [String: CELType], emits: Bool
    ) {
        precondition(!states.isEmpty && states[0].parent == nil, "a machine begins with its root")
        self.name = name
        self.semantics = semantics
        self.isStrict = isStrict
        self.description = description
        self.states = states
        self.transitions = transitions
        self.context = context
        self.contextTypes = contextTypes
        self.guards = guards
        self.eventData = eventData
        self.emits = emits
        let paths = Dictionary(uniqueKeysWithValues: states.map { ($0.path, $0.index) })
        statesByPath = paths
        statesByName = Dictionary(states.map { ($0.id, $0.index) }, uniquingKeysWith: max).merging(paths) { id, _ in id
        }
        let names = Set(states.flatMap { $0.candidates.exact.keys })
        self.names = names
        events = names.filter { !EventName.isReserved($0) }.sorted()
        prefixes = states.flatMap(\.candidates.prefixes)
        takesAny = states.contains { !$0.candidates.any.isEmpty }
        hasEventless = states.contains { !$0.eventless.isEmpty }
        hasInvocations = states.contains { !$0.invocations.isEmpty }
        effects = EffectUse.all(in: states, transitions)
        plan = SequentialPlan(states: states, transitions: transitions, by: semantics)
        alone = states.map { [$0.index] }
        let tagged = states.flatMap { state in state.tags.map { (tag: $0, state: state.index) } }
        statesByTag = Dictionary(grouping: tagged, by: \.tag).mapValues { $0.map(\.state) }
        hasTags = !tagged.isEmpty
        let families = Set(prefixes.map { $0.name + ".*" }).filter { !EventName.isReserved($0) }
        descriptors = (events + families + (takesAny ? ["*"] : [])).sorted()
    }

    /// True if the machine requests any effects.
    package var hasEffects: Bool { !effects.isEmpty }

    /// True if an action requests an effect whose result is not awaited.
    package var hasCalls: Bool { effects.count > states.reduce(0) { $0 + $1.invocations.count } }

    /// Returns the state at an index.
    package subscript(index: StateIndex) -> State { states[index.offset] }

    /// Returns the transition at an index.
    package subscript(index: TransitionIndex) -> Transition { transitions[index.offset] }

    /// Returns the state at a path such as `review.legal.pending`; `nil` if there is none.
    package func state(atPath path: String) -> StateIndex? { statesByPath[path] }

    /// Returns the state with an id or path; `nil` if there is none. A state's id wins over the root's, and both over a
    /// path.
    package func state(named name: String) -> StateIndex? { statesByName[name] }

    /// Returns the states that have a tag, in document order.
    package func states(tagged tag: String) -> [StateIndex] { statesByTag[tag] ?? [] }

    /// Returns the tags of the active states, each once, from the root down in document order.
    package func tags(of configuration: [StateIndex]) -> [String] {
        guard hasTags else { return [] }
        var seen: Set<String> = []
        return configuration.flatMap { self[$0].tags }.filter { seen.insert($0).inserted }
    }

    /// Returns true if some state of the machine could take an event with this name.
    package func knows(event name: String) -> Bool {
        takesAny || names.contains(name) || prefixes.contains { $0.matches(name) }
    }

    /// Returns true if the machine can take an item that an instance failed on, perhaps in an earlier version. The end
    /// of an invocation is always accepted, because a machine need not handle the event.
    package func takes(again kept: Pending) -> Bool { kept.invocation != nil || knows(event: kept.event) }
}

/// The grammar of event names (tokens joined by dots) and the names that are reserved for the engine.
package enum EventName {
    /// The prefixes of names that belong to the engine; callers may not send such events.
    package static let reservedPrefixes = ["done.state.", done, errorPrefix, timeoutPrefix]
    /// The prefix of the event names for results of invocations; the id follows.
    package static let done = "done.invoke."
    /// The prefix of the event names for failed invocations; the id follows.
    package static let failed = "error.invoke."
    /// The prefix of the names of errors.
    package static let errorPrefix = "error."

    /// The prefix of the names of `after` events.
    package static let timeoutPrefix = "after."

    /// The grammar of event names, for messages.
    package static let rule =
        "letters, digits, '_' and '-', in tokens joined by dots, the first character no digit, at most 200"

    /// The longest valid name in bytes; the same limit holds for names in definitions.
    private static let longest = 200

    /// Returns a name in quotes for messages, truncated to its first 40 characters.
    package static func quoted(_ name: String) -> String {
        name.unicodeScalars.count > 40
            ? "'\(String(String.UnicodeScalarView(name.unicodeScalars.prefix(40))))…'" : "'\(name)'"
    }

    /// Returns true if a name has a reserved prefix.
    package static func isReserved(_ name: String) -> Bool {
        // Every event passes here; most names have no dot.
        guard name.utf8.contains(UInt8(ascii: ".")) else { return false }
        return reservedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
    }

    /// Returns true if a name is well formed: `[A-Za-z_][A-Za-z0-9_.-]*`, without empty tokens.
    package static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= longest, StateName.isValid(name) else { return false }
        var isAfterDot = false
        for byte in name.utf8 {
            let isDot = byte == UInt8(ascii: ".")
            if isDot, isAfterDot { return false }
            isAfterDot = isDot
        }
        return !isAfterDot
    }
}

/// The grammar of the names of machines and states.
package enum StateName {
    /// Returns true if a name matches `[A-Za-z_][A-Za-z0-9_.-]*`.
    package static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}
