import Statechart
import WorkflowJSON
import WorkflowStore

extension CopyTable {
    /// The effects, checked for those that no instance waits for.
    static let effect = CopyTable(
        "effect", key: ["id": .number],
        columns: """
            t.instance_id, \(EffectRecord.columns.of("t")), t.partition = t.id >> 48, j.position = t.id,
            coalesce(j.instance_id = t.instance_id AND j.seq = t.seq, false), i.status, i.armed
            """,
        from: """
            effect t LEFT JOIN instance i ON i.id = t.instance_id LEFT JOIN LATERAL (
                SELECT position, instance_id, seq FROM journal WHERE position <= t.id ORDER BY position DESC LIMIT 1
            ) j ON true
            """
    ) { row, inspection in
        inspection.slice.effects += 1
        let instance = InstanceID(rawValue: try row.integer(in: .min ... .max))
        let effect: EffectRecord
        do {
            effect = try EffectRecord(row: &row)
        } catch {
            return Inconsistency(
                instance: instance, "its effect cannot be read: \(PostgresFailure(error).message)")
        }
        let (isOfPartition, isRow) = (try row.flag(), try row.optionalFlag())
        let (isBehindRow, status) = (try row.flag(), try row.optionalText())
        guard let status else {
            return Inconsistency(
                position: effect.id,
                "an effect belongs to an instance \(effect.instanceID.rawValue) that is not there")
        }
        func wrong(_ what: String) -> Inconsistency {
            Inconsistency(instance: instance, seq: effect.seq, position: effect.id, what)
        }
        if !isOfPartition { return wrong("its effect '\(effect.name)' is of another partition") }
        if isRow == true { return wrong("an effect has the position of a row") }
        if !isBehindRow { return wrong("its effect '\(effect.name)' does not stand behind the row that began it") }
        let texts = [effect.request, effect.progress, effect.error, effect.answer]
        if !texts.allSatisfy({ $0.map(isJSON) ?? true }) {
            return wrong("its effect '\(effect.name)' holds what is not JSON")
        }
        guard let number = effect.number else { return nil }
        let invocations = ArmedRows(try row.text(), of: instance)?.invocations
        let isWanted =
            InstanceStatus(rawValue: status)?.waitsForEffects ?? false
            && invocations?.contains { invocation in
                invocation.id == effect.id && invocation.seq == effect.seq.rawValue && invocation.number == number
                    && invocation.name == effect.name
            } ?? true
        return isWanted ? nil : wrong("there is an effect '\(effect.name)' that it does not wait for")
    }

    /// The attempts at effects; an attempt outlives its effect.
    static let attempt = CopyTable(
        "attempt", key: ["effect": .number, "attempt": .number],
        columns: """
            \(AttemptRecord.columns.of("t")), i.id IS NOT NULL, coalesce(e.instance_id = t.instance_id, true)
            """,
        from: "attempt t LEFT JOIN instance i ON i.id = t.instance_id LEFT JOIN effect e ON e.id = t.effect"
    ) { row, inspection in
        inspection.slice.attempts += 1
        let attempt = try AttemptRecord(row: &row)
        let (effect, instance) = (attempt.effect, attempt.instanceID)
        let (hasInstance, isOfInstance) = (try row.flag(), try row.flag())
        guard hasInstance else {
            return Inconsistency(
                position: effect, "an attempt belongs to an instance \(instance.rawValue) that is not there")
        }
        if let error = attempt.error, !isJSON(error) {
            return Inconsistency(instance: instance, position: effect, "the error of an attempt is not JSON")
        }
        let next = inspection.store.partition(effect.partition)?.numbers.nextPosition
        let isBegun = next.map { effect < $0 } ?? false
        return isOfInstance && isBegun
            ? nil
            : Inconsistency(instance: instance, position: effect, "there is an attempt at an effect that it never had")
    }

    /// The queues, which need only be readable.
    static let queue = CopyTable(
        "queue", key: ["name": .text], columns: QueueRecord.columns.of("t"), from: "queue t"
    ) { row, _ in
        _ = try QueueRecord(row: &row)
        return nil
    }

    /// Returns true if a text is JSON.
    static func isJSON(_ text: String) -> Bool {
        // The reason why it is none does not matter here.
        (try? JSONReader.value(from: text)) != nil
    }
}

extension AnswerRow {
    fileprivate mutating func optionalFlag() throws(PostgresFailure) -> Bool? { skipsNull() ? nil : try flag() }
}
