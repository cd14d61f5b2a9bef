package import WorkflowCEL
package import WorkflowJSON

/// A definition, validated and compiled to tables that the step reads. Immutable, and the same for every instance.
package final class Machine: Sendable {
    package let name: String
    /// The rules by which it takes steps.
    package let semantics: Semantics
    /// Whether an event that nothing takes is refused (`true`) or recorded without effect.
    package let isStrict: Bool
    /// For people; nil when the definition has none.
    package let description: String?
    /// In document order; the first is the root.
    package let states: [State]
    /// In document order.
    package let transitions: [Transition]
    /// The context of an instance before the data of its start.
    package let context: JSONObject
    /// The types of the keys of the context: declared, or, in a strict machine, those of the initial values.
    package let contextTypes: [String: CELType]
    /// The named guards, in the order of the definition: what `Vocabulary.firstGuard` and the numbers after it mean.
    package let guards: [Expression]
    /// The declared types of events' data, by event.
    package let eventData: [String: CELType]
    /// The event names that stand in the definition in full, sorted; reserved ones such as `done.state.*` are not among
    /// them.
    package let events: [String]
    /// What callers may send: `events`, and the descriptors that match more than one name (`legal.*`, `*`); sorted.
    package let descriptors: [String]

    private let statesByPath: [String: StateIndex]
    /// By id, and by path where no other state has it as its id.
    private let statesByName: [String: StateIndex]
    private let names: Set<String>
    private let prefixes: [CandidateTable.Prefix]

    /// Whether some state takes every event (`*`).
    let takesAny: Bool
    /// Whether some state has transitions without event.
    let hasEventless: Bool
    /// What is known beforehand because only one leaf is active at a time; nil where several can be, or where history
    /// states decide what is entered.
    let plan: SequentialPlan?
    /// Whether any state has invocations.
    package let hasInvocations: Bool
    /// Where it asks the world for something: its invocations and calls.
    package let effects: [EffectUse]
    /// Whether any state has tags.
    package let hasTags: Bool
    /// The states of each tag.
    private let statesByTag: [String: [StateIndex]]
    /// By state: the list of it alone.
    let alone: [[StateIndex]]

    /// Takes tables that belong together; `DefinitionReader` makes them.
    ///
    /// - Precondition: `states` is in document order and begins with the root; every index in the tables exists.
    package init(
        name: String, semantics: Semantics, isStrict: Bool, description: String?, states: [State],
        transitions: [Transition], context: JSONObject, contextTypes: [String: CELType] = [:], guards: [Expression],
        eventData: [String: CELType]
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

    /// Whether anything of it asks the world for something.
    package var hasEffects: Bool { !effects.isEmpty }

    /// Whether an action asks for an effect whose end nobody waits for.
    package var hasCalls: Bool { effects.count > states.reduce(0) { $0 + $1.invocations.count } }

    /// The state of a number.
    package subscript(index: StateIndex) -> State { states[index.offset] }

    /// The transition of a number.
    package subscript(index: TransitionIndex) -> Transition { transitions[index.offset] }

    /// The state of a path such as `review.legal.pending`; nil when there is none.
    package func state(atPath path: String) -> StateIndex? { statesByPath[path] }

    /// The state of an id or path; nil when there is none. A state's id wins over the root's, and both over a path.
    package func state(named name: String) -> StateIndex? { statesByName[name] }

    /// The states that have a tag, in document order.
    package func states(tagged tag: String) -> [StateIndex] { statesByTag[tag] ?? [] }

    /// The tags of the active states, from the root down in document order, each once.
    package func tags(of configuration: [StateIndex]) -> [String] {
        guard hasTags else { return [] }
        var seen: Set<String> = []
        return configuration.flatMap { self[$0].tags }.filter { seen.insert($0).inserted }
    }

    /// Whether some state of the machine could take an event of this name.
    package func knows(event name: String) -> Bool {
        takesAny || names.contains(name) || prefixes.contains { $0.matches(name) }
    }

    /// Whether anything waits for what an instance has failed on, maybe in an earlier version. Nobody has to know how
    /// invocations end.
    package func takes(again kept: Pending) -> Bool { kept.invocation != nil || knows(event: kept.event) }
}

/// The grammar of event names (tokens joined by dots) and the names that only the engine may use.
package enum EventName {
    /// Names under these belong to the engine; callers may not send them.
    package static let reservedPrefixes = ["done.state.", done, errorPrefix, timeoutPrefix]
    /// What the names of the results of invocations begin with; the id follows.
    package static let done = "done.invoke."
    /// What the names of invocations' failures begin with; the id follows.
    package static let failed = "error.invoke."
    /// What the names of errors begin with.
    package static let errorPrefix = "error."

    /// What the names of `after` events begin with.
    package static let timeoutPrefix = "after."

    /// The grammar, for messages.
    package static let rule =
        "letters, digits, '_' and '-', in tokens joined by dots, the first character no digit, at most 200"

    /// In bytes; as long as the longest name of a definition.
    private static let longest = 200

    /// A name in a message: however long it is, its beginning is enough.
    package static func quoted(_ name: String) -> String {
        name.unicodeScalars.count > 40
            ? "'\(String(String.UnicodeScalarView(name.unicodeScalars.prefix(40))))…'" : "'\(name)'"
    }

    /// Whether a name lies under a reserved prefix.
    package static func isReserved(_ name: String) -> Bool {
        // Asked of every event; most have no dot.
        guard name.utf8.contains(UInt8(ascii: ".")) else { return false }
        return reservedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
    }

    /// Whether a name is well formed: `[A-Za-z_][A-Za-z0-9_.-]*`, without empty tokens.
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
    /// Whether a name is `[A-Za-z_][A-Za-z0-9_.-]*`.
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
