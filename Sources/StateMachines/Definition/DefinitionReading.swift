internal import Statechart
internal import Synchronization

/// A definition that is read on first use.
final class DefinitionReading<M: MachineDefinition>: Sendable {
    let source: DefinitionSource
    private let result = Mutex<Result<TypedMachine<M>, DefinitionMistakes>?>(nil)

    init(_ source: DefinitionSource) {
        self.source = source
    }

    func machine() throws(DefinitionMistakes) -> TypedMachine<M> {
        if let result = result.withLock({ $0 }) { return try result.get() }
        // The lock is not held here, because reading calls the program's types.
        let made = Result { () throws(DefinitionMistakes) in
            try TypedMachine<M>(
                definition: try source.machine(isInMemory: true), at: source.place, places: source.placesOfText)
        }
        return try result.withLock { result in
            result = result ?? made
            return result ?? made
        }.get()
    }
}

/// The text of a definition, and the Swift places of its parts.
struct DefinitionSource: Sendable {
    let text: String
    /// The place of the definition.
    let place: SwiftPlace
    /// Identifies the definition, without `events` and `types`, which decide nothing. Not cryptographic.
    let digest: String
    /// The tree that the text was printed from; its line numbers encode places in Swift. `nil` for a text that was
    /// given.
    private let tree: DefinitionNode?
    private let places: [SwiftPlace]
    /// The mistakes found before the text is read.
    private let mistakes: [String]
    /// The warnings found before the text is read.
    private let foundWarnings: [String]
    /// False if reading the text would report consequences of the mistakes.
    private let isReadable: Bool

    init(text: String, at place: SwiftPlace) {
        self.text = text
        self.place = place
        digest = Self.digest(of: text)
        tree = nil
        places = []
        mistakes = []
        foundWarnings = []
        isReadable = true
    }

    init(
        tree: DefinitionNode, places: [SwiftPlace], mistakes: [String], warnings: [String], isReadable: Bool
    ) {
        self.tree = tree
        self.isReadable = isReadable
        self.places = places
        self.mistakes = mistakes
        foundWarnings = warnings
        place = places[0]
        text = tree.text(as: .json)
        let deciding = tree.members?.filter { !["events", "types"].contains($0.key) }
        digest = Self.digest(of: DefinitionNode.map(deciding ?? []).text(as: .json))
    }

    /// Returns the FNV-1a hash of a text, 64 bits in hexadecimal (RFC 9923).
    private static func digest(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// Reads the text as a daemon does. Throws the mistakes of the tree and of the text together.
    ///
    /// - Parameter isInMemory: False to throw also what only hosts refuse.
    func machine(isInMemory: Bool) throws(DefinitionMistakes) -> Machine {
        guard isReadable else { throw DefinitionMistakes(mistakes: mistakes) }
        let read = Result { () throws(DefinitionError) in
            try DefinitionReader.read(text, isInMemory: isInMemory).machine
        }
        switch read {
        case .success(let machine) where mistakes.isEmpty: return machine
        case .success: throw DefinitionMistakes(mistakes: mistakes)
        case .failure(let error): throw DefinitionMistakes(mistakes: mistakes + told(error, isInMemory))
        }
    }

    /// Returns the warnings about a definition without mistakes.
    func warnings() -> [String] {
        let told = tree.map { tree in
            Result { () throws(DefinitionError) in try DefinitionReader.read(tree, isInMemory: true) }
        }
        if case .success(let reading)? = told { return foundWarnings + reading.warnings.map(lineOfSwift) }
        let reading = try? DefinitionReader.read(text, isInMemory: true)  // Its mistakes were thrown before.
        return reading?.warnings.map(lineOfText) ?? []
    }

    /// Returns the mistakes with lines of Swift: from the tree, which knows these lines, or else from the text.
    private func told(_ error: DefinitionError, _ isInMemory: Bool) -> [String] {
        let isMistake = { (diagnostic: Diagnostic) in diagnostic.severity == .error }
        if let tree {
            do throws(DefinitionError) {
                _ = try DefinitionReader.read(tree, isInMemory: isInMemory)
            } catch {
                return error.diagnostics.filter(isMistake).map(lineOfSwift)
            }
        }
        return error.diagnostics.filter(isMistake).map(lineOfText)
    }

    /// The distance between the lines of two places. A mistake in an expression adds its own line to the line of its
    /// place.
    private static let stride = 1 << 24

    /// Returns the line number that encodes a place in Swift.
    static func line(ofPlace index: Int) -> DefinitionPlace { DefinitionPlace(line: index * stride + 1, column: 1) }

    /// Returns the mistakes of a definition with invocations in a program without a host.
    func needsHost(_ machine: Machine) -> DefinitionMistakes {
        // The tree has no mistakes, because its text was read before.
        let told = tree.flatMap { try? DefinitionReader.read($0, isInMemory: true).machine } ?? machine
        let mistakes = told.states.flatMap { state in
            state.invocations.map { invocation in
                let message = "'\(invocation.id)' is a task for a worker: run it in a host, such as MemoryHost"
                let place = tree == nil ? "\(place): line \(invocation.line) of the text" : "\(swift(invocation.line))"
                return "\(place): \(message)"
            }
        }
        return DefinitionMistakes(mistakes: mistakes)
    }

    /// The places of the text's lines; `nil` for a text that was given.
    var placesOfText: SwiftPlaces? {
        tree.map { tree in
            var lines = [tree.place]
            tree.addPlaces(to: &lines)
            return SwiftPlaces(lines: lines.map { $0.map { swift($0.line) } })
        }
    }

    private func swift(_ line: Int) -> SwiftPlace { places[(line - 1) / Self.stride] }

    private func lineOfSwift(_ diagnostic: Diagnostic) -> String {
        // The message also names the lines of other parts of the definition.
        var words = diagnostic.message.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for index in words.indices.dropFirst() where words[index - 1] == "line" {
            if let line = Int(words[index]) { words[index] = "\(swift(line).line)" }
        }
        return "\(swift(diagnostic.line)): \(words.joined(separator: " "))"
    }

    private func lineOfText(_ diagnostic: Diagnostic) -> String {
        "\(place): line \(diagnostic.line), column \(diagnostic.column) of the text: \(diagnostic.message)"
    }
}
