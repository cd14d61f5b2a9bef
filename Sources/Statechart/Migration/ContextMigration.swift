import WorkflowCEL
import WorkflowJSON

/// The migration of an instance's context to another version.
struct ContextMigration {
    /// The context in the new version; valid only if there are no misfits.
    private(set) var context = JSONObject()
    /// The keys that the new version does not declare but keeps.
    private(set) var undeclared: [String] = []
    private(set) var misfits: [Misfit] = []
    /// The units of evaluation that the assignments cost.
    private(set) var cost = 0

    init(_ snapshot: Snapshot, by migration: Migration, as identity: InstanceIdentity, at time: LogicalTime) {
        var old = snapshot.context
        for path in migration.unset { old = path.removed(from: old) }
        let values = assigned(snapshot, by: migration, as: identity, at: time)
        context = old
        for member in migration.new.context.members {
            guard let value = old[member.key],
                !migration.assignments.contains(where: { $0.path.steps.count == 1 && $0.path.key == member.key })
            else {
                context[member.key] = member.value
                continue
            }
            // An unchanged value costs nothing.
            if !value.isScalar(like: member.value) || migration.new.contextTypes[member.key] != nil {
                context[member.key] = kept(value, of: member.key, by: migration)
            }
        }
        for member in old.members where migration.new.context[member.key] == nil { undeclared.append(member.key) }
        for (path, value) in values { set(value, at: path, by: migration) }
    }

    private mutating func kept(_ value: JSONValue, of key: String, by migration: Migration) -> JSONValue {
        let initial = migration.new.context[key] ?? .null
        let type = migration.new.contextTypes[key] ?? .dyn
        let fits: JSONValue?
        if case .dyn = type {
            let converted = value.converted(toMatch: initial)
            fits = initial == .null || converted.kind == initial.kind ? converted : nil
        } else {
            // The reason is reported below.
            fits = try? type.converted(value, at: key, in: migration.new.semantics.language)
        }
        if let fits { return fits }
        let wanted =
            value.kind == initial.kind || initial == .null
            ? "has \(type.description) there" : "begins with \(initial.described)"
        let reason = "\(value.described), version \(migration.newVersion) \(wanted); --assign"
        misfits.append(Misfit("context.\(key)", reason))
        return value
    }

    /// Evaluates the assignments over the old context. Returns the values by path.
    private mutating func assigned(
        _ snapshot: Snapshot, by migration: Migration, as identity: InstanceIdentity, at time: LogicalTime
    ) -> [(ContextPath, JSONValue)] {
        if migration.assignments.isEmpty { return [] }
        let scope = Scope(
            machine: migration.old, context: snapshot.context, configuration: snapshot.configuration,
            event: Event(name: Migration.event, at: time),
            identity: InstanceIdentity(
                name: identity.name, version: migration.oldVersion, startedAt: identity.startedAt))
        var budget = Budget()
        var values: [(ContextPath, JSONValue)] = []
        for (path, program) in migration.assignments {
            do throws(EvaluationError) {
                values.append((path, try program.value(scope, &budget).json(&budget)))
            } catch {
                misfits.append(Misfit("context.\(path.text)", "'\(program.source)' fails: \(error.discreet)"))
            }
        }
        cost = CELLimits.evaluation - budget.remaining
        return values
    }

    private mutating func set(_ value: JSONValue, at path: ContextPath, by migration: Migration) {
        let type = migration.new.contextTypes[path.key] ?? .dyn
        do throws(ContextAssignment.Failure) {
            try ContextAssignment(path: path.steps, text: path.text, value: value, type: type)
                .apply(to: &context, of: migration.new)
        } catch {
            misfits.append(Misfit("context.\(path.text)", "it cannot be assigned: \(error.message)"))
        }
    }
}

extension JSONValue {
    /// Returns true if both values are scalars of the same type.
    fileprivate func isScalar(like other: JSONValue) -> Bool {
        switch (self, other) {
        case (.int, .int), (.double, .double), (.string, .string), (.bool, .bool): true
        default: false
        }
    }
}
