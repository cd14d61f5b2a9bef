package import Statechart
import Synchronization
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// Reads and compiles the definitions that callers send, one at a time, on a thread of its own with low priority. When
/// too many wait, the caller with the most gives way.
package final class DefinitionQueue: Sendable {
    /// Reads and compiles one text.
    package typealias Reading = @Sendable (_ text: String, _ syntax: DefinitionSyntax) throws -> DefinitionReading

    private let bound: Int
    private let read: Reading
    private let waiting = Mutex(FairShares())

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
    var count: Int { waiting.withLock { $0.count } }

    /// Returns the number of a caller's definitions among them.
    func count(of caller: Actor?) -> Int { waiting.withLock { $0.count(of: caller) } }

    /// Reads and compiles a definition.
    ///
    /// - Throws: A problem if the definition has mistakes; `overloaded` if too many definitions wait.
    func reading(
        _ text: String, _ syntax: DefinitionSyntax, for caller: Actor?
    ) async throws -> DefinitionReading {
        let claim = try claim(for: caller)
        defer { waiting.withLock { $0.remove(claim) } }
        do {
            return try await offLoop(for: .compiling) { [read] in
                try claim.requireHeld()
                return try read(text, syntax)
            }
        } catch let error as DefinitionError {
            throw Problem(Rejection.invalidDefinition(error))
        }
    }

    private func claim(for caller: Actor?) throws(Problem) -> Claim {
        let (claim, lost) = waiting.withLock { waiting -> (Claim?, lost: Claim?) in
            guard waiting.count >= bound else { return (waiting.claim(for: caller), nil) }
            guard let lost = waiting.leaving(for: caller) else { return (nil, nil) }
            waiting.remove(lost)
            return (waiting.claim(for: caller), lost)
        }
        lost?.lose()
        guard let claim else { throw Problem(.overloaded, detail: "\(bound) definitions wait to be compiled already") }
        return claim
    }
}
