package import WorkflowCEL

/// The variables and functions that every expression of a definition sees, by number.
package enum Vocabulary {
    package static let context = 0
    package static let event = 1
    package static let instance = 2
    /// The number of the first named guard; the others follow in the order of the definition.
    package static let firstGuard = 3

    /// The function `In`.
    package static let isActive = 0
    /// The function `hasTag`.
    package static let hasTag = 1

    /// The names that a named guard cannot have.
    static let taken = ["context", "event", "instance", "In", "hasTag"]

    /// Returns the environment of a machine's expressions.
    ///
    /// - Parameters:
    ///   - keys: The keys of the context; `nil` if they are not known.
    ///   - types: The types of the keys with a known type.
    ///   - guards: The names of the machine's guards.
    ///   - states: The ids and paths of the machine's states; `nil` if they are not known.
    ///   - tags: The tags of the machine's states; `nil` if they are not known.
    package static func environment(
        contextKeys keys: [String]?, types: [String: CELType] = [:], guards: [String] = [],
        states: Set<String>? = nil, tags: Set<String>? = nil
    ) -> Environment {
        let fields = keys.map { Dictionary($0.map { ($0, types[$0]?.asRead ?? .dyn) }) { first, _ in first } }
        let context = fields.map { CELType.object(ObjectType(name: "the context", fields: $0)) } ?? .dyn
        return Environment(
            variables: [
                Environment.Variable(name: "context", type: context),
                Environment.Variable(name: "event", type: eventType(.dyn)),
                Environment.Variable(name: "instance", type: instanceType),
            ] + guards.map { Environment.Variable(name: $0, type: .bool) },
            functions: [
                Environment.Function(
                    name: "In", parameters: [.string], result: .bool,
                    words: states.map { Environment.Words(noun: "state", all: $0) }),
                Environment.Function(
                    name: "hasTag", parameters: [.string], result: .bool,
                    words: tags.map { Environment.Words(noun: "tag", all: $0) }),
            ])
    }

    /// The type of `event`, whose data has a declared type.
    static func eventType(_ data: CELType) -> CELType {
        .object(ObjectType(name: "the event", fields: ["name": .string, "data": data.asRead, "at": .timestamp]))
    }

    private static let instanceType = CELType.object(
        ObjectType(
            name: "the instance",
            fields: ["name": .string, "machine": .string, "version": .int, "startedAt": .timestamp]))
}
