import DaemonTesting
import GRDB
import WorkflowEngine
import WorkflowStore

/// Checks that a file has everything that workers were told.
struct TaskCheck {
    private(set) var mistakes: [String] = []

    /// An effect that has not ended.
    private struct Effect {
        let attempts: Int64
        let isLeased: Bool
    }

    /// An attempt at an effect.
    private struct Attempt: Hashable {
        let effect: Int64
        let number: Int64
    }

    /// Checks a whole file.
    ///
    /// - Parameters:
    ///   - given: The leased tasks.
    ///   - said: The answers to workers that completed or failed tasks.
    init(_ path: String, given: [GivenTask], said: [PowerLoad.Told]) throws {
        let file = DatabaseFile(path)
        mistakes += try file.read { try Self.unpaired($0) }
        let (effects, outcomes) = try file.read { database in
            (
                try Row.fetchAll(database, sql: "SELECT id, attempts, state = 'leased' AS leased FROM effect").reduce(
                    into: [Int64: Effect]()
                ) { $0[$1["id"]] = Effect(attempts: $1["attempts"], isLeased: $1["leased"]) },
                try Row.fetchAll(database, sql: "SELECT effect, attempt, outcome FROM attempt").reduce(
                    into: [Attempt: String]()
                ) { $0[Attempt(effect: $1["effect"], number: $1["attempt"])] = $1["outcome"] }
            )
        }
        var reported: Set<Attempt> = []
        for told in said {
            guard case .fail(let given)? = told.command.work else {
                if case .complete(let given)? = told.command.work { reported.insert(Self.attempt(given)) }
                continue
            }
            let attempt = Self.attempt(given)
            reported.insert(attempt)
            if told.outcome.isAccepted, outcomes[attempt] != PowerWork.broken {
                mistakes.append("\(Self.name(given)) has failed, and is \(outcomes[attempt] ?? "not known")")
            }
        }
        for task in given {
            guard let effect = effects[task.effect] else { continue }
            if effect.attempts < task.task.attempt {
                mistakes.append("\(Self.name(task)) was handed out, and there were \(effect.attempts)")
            }
            // Nobody else may have it before its lease has run out, which is an attempt that failed.
            let isOpen = effect.attempts == task.task.attempt && !reported.contains(Self.attempt(task))
            if isOpen, !effect.isLeased, outcomes[Self.attempt(task)] == nil {
                mistakes.append("the lease of \(Self.name(task)) is lost")
            }
        }
    }

    private static func attempt(_ given: GivenTask) -> Attempt {
        Attempt(effect: given.effect, number: given.task.attempt)
    }

    private static func name(_ given: GivenTask) -> String {
        "attempt \(given.task.attempt) at effect \(given.effect) of \(given.task.instance)"
    }

    /// Returns the invocations without a row, and the rows without an invocation.
    private static func unpaired(_ database: Database) throws -> [String] {
        let armed = """
            SELECT instance.id AS instance, element.value ->> 'position' AS effect
            FROM instance, json_each(instance.armed) AS element WHERE element.value ->> 'kind' = 'invocation'
            """
        let rows = "SELECT instance_id AS instance, id AS effect FROM effect WHERE number IS NOT NULL"
        return try String.fetchAll(
            database,
            sql: """
                SELECT 'no row of the invocation ' || effect FROM (\(armed) EXCEPT \(rows))
                UNION ALL SELECT 'no invocation of the row ' || effect FROM (\(rows) EXCEPT \(armed))
                UNION ALL SELECT 'position ' || max(effect.id) || ' would be used twice' FROM effect, store
                GROUP BY next_position HAVING max(effect.id) >= next_position
                """)
    }
}
