/// What is armed for an instance, on its way to another version.
struct ArmedMigration {
    private(set) var armed: [Pending] = []
    /// What does not come any more, as it was.
    private(set) var ended: [Pending] = []
    private(set) var misfits: [Misfit] = []

    private let migration: Migration

    init(_ snapshot: Snapshot, _ states: StateMigration, by migration: Migration) {
        self.migration = migration
        for pending in snapshot.armed {
            switch pending.owner {
            case .send: take(pending, migration.new.knows(event: pending.event) ? pending : nil)
            case .state(let owner):
                let image = states.image(of: owner)
                if let id = pending.invocation {
                    take(pending, invocation: id, image)
                } else {
                    take(pending, image.flatMap { timer(pending, of: owner, $0) })
                }
            }
        }
    }

    /// - Parameter moved: As it is in the new version; nil where that has no place for it.
    private mutating func take(_ pending: Pending, _ moved: Pending?) {
        if pending.isKept {
            // What the instance failed on waits for a person, whatever the new version makes of it.
            var kept = moved ?? pending.owned(by: .root)
            kept.isUnsettled = true
            armed.append(kept)
        } else if let moved {
            armed.append(moved)
        } else {
            ended.append(pending)
        }
    }

    /// An invocation, or its timeout.
    private mutating func take(_ pending: Pending, invocation id: String, _ image: StateIndex?) {
        let isThere = image.map { image in migration.new[image].invocations.contains { $0.id == id } } ?? false
        take(pending, isThere || pending.isKept ? image.map { pending.owned(by: $0) } : nil)
        if pending.isKept, !isThere, migration.new.states.contains(where: { $0.invocations.contains { $0.id == id } }) {
            // Tried again it would run beside that one, under the same name.
            misfits.append(
                Misfit(
                    id,
                    "the instance has failed on invocation '\(id)', which version \(migration.newVersion) has in "
                        + "another state; retry or skip it before"))
        }
        guard !isThere, !pending.isKept, pending.kind == .invocation, !migration.plan.cancelsInvocations
        else { return }
        misfits.append(
            Misfit(
                id,
                "invocation '\(id)' runs, and version \(migration.newVersion) has none of this id there; "
                    + "--cancel-invocations"))
    }

    /// A timer of `after` as the state that stands for its own has it; nil where that has no such delay.
    private func timer(_ pending: Pending, of owner: StateIndex, _ image: StateIndex) -> Pending? {
        guard let delay = migration.old[owner].delay(of: pending.event),
            let timeout = migration.new[image].timeout(delay)
        else { return pending.isKept ? pending.owned(by: image) : nil }
        return Pending(
            id: pending.id, kind: pending.kind, event: timeout.event, data: pending.data, due: pending.due,
            owner: .state(image), misfire: timeout.misfire, isKept: pending.isKept)
    }

    /// The timers of states that stand for active ones and had none of their delay, in document order.
    func newTimeouts(_ states: StateMigration) -> [(state: StateIndex, timeout: Timeout)] {
        states.kept.flatMap { image in
            migration.new[image].timeouts.compactMap { timeout in
                // One that is not armed any more has fired.
                let isOld = states.sources(of: image).contains { source in
                    migration.new[image].delay(of: timeout.event).map { migration.old[source].timeout($0) != nil }
                        ?? false
                }
                return isOld ? nil : (image, timeout)
            }
        }
    }

    /// The same of invocations. One that does not run any more has ended; one that the instance has failed on waits.
    func newInvocations(_ states: StateMigration) -> [(state: StateIndex, invocation: Invocation)] {
        states.kept.flatMap { image in
            migration.new[image].invocations.compactMap { invocation in
                if armed.contains(where: { $0.isKept && $0.invocation == invocation.id }) { return nil }
                let isOld = states.sources(of: image).contains { source in
                    migration.old[source].invocations.contains { $0.id == invocation.id }
                }
                return isOld ? nil : (image, invocation)
            }
        }
    }
}

extension Pending {
    fileprivate func owned(by state: StateIndex) -> Pending {
        guard case .state = owner else { return self }
        return Pending(
            id: id, kind: kind, event: event, data: data, due: due, owner: .state(state), misfire: misfire,
            isKept: isKept, isUnsettled: isUnsettled)
    }
}

extension State {
    /// The delay in the name of the state's timer, as written; nil for another event.
    fileprivate func delay(of event: String) -> String? {
        let suffix = "." + id
        guard timeouts.contains(where: { $0.event == event }), event.hasPrefix(EventName.timeoutPrefix),
            event.hasSuffix(suffix)
        else { return nil }
        return String(event.dropFirst(EventName.timeoutPrefix.count).dropLast(suffix.count))
    }

    /// The state's timer of a delay, as written.
    fileprivate func timeout(_ delay: String) -> Timeout? {
        let event = EventName.timeoutPrefix + delay + "." + id
        return timeouts.first { $0.event == event }
    }
}
