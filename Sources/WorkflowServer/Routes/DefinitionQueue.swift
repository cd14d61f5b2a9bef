package import Statechart
import Synchronization
import WorkflowAPI
import WorkflowEngine

/// Reads and compiles the definitions that callers send, one at a time, on a thread of its own with low priority.
package final class DefinitionQueue: Sendable {
    /// Reads and compiles one text.
    package typealias Reading = @Sendable (_ text: String, _ syntax: DefinitionSyntax) throws -> DefinitionReading

    private let bound: Int
    private let read: Reading
    private let waiting = Mutex(0)

    /// Creates an empty queue.
    ///
    /// - Parameter read: Reads and compiles a definition; may take long.
    package init(
        limits: ServerLimits = ServerLimits(),
        read: @escaping Reading = { try DefinitionReader.read($0, syntax: $1) }
    ) {
        bound = limits.waitingDefinitions
        self.read = read
    }

    /// The number of definitions that are compiled or wait for it.
    var count: Int { waiting.withLock { $0 } }

    /// Reads and compiles a definition.
    ///
    /// - Throws: A problem if the definition has mistakes; `overloaded` if too many definitions wait.
    func reading(_ text: String, _ syntax: DefinitionSyntax) async throws -> DefinitionReading {
        let isIn = waiting.withLock { waiting in
            if waiting >= bound { return false }
            waiting += 1
            return true
        }
        guard isIn else { throw Problem(.overloaded, detail: "\(bound) definitions wait to be compiled already") }
        defer { waiting.withLock { $0 -= 1 } }
        do {
            return try await offLoop(for: .compiling) { [read] in try read(text, syntax) }
        } catch let error as DefinitionError {
            throw Problem(Rejection.invalidDefinition(error))
        }
    }
}
