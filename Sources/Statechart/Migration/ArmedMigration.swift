/// The migration of an instance's pending items to another version.
struct ArmedMigration {
    private(set) var armed: [Pending] = []
    /// The pending items that the migration ends, as they were before.
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

    /// - Parameter moved: The item in the new version; `nil` if the new version has no place for it.
    private mutating func take(_ pending: Pending, _ moved: Pending?) {
        if pending.isKept {
            // The item that the instance failed on waits for a person, even if the new version has no place for it.
            var kept = moved ?? pending.owned(by: .root)
            kept.isUnsettled = true
            armed.append(kept)
        } else if let moved {
            armed.append(moved)
        } else {
            ended.append(pending)
        }
    }

    /// Migrates an invocation or its timeout.
    private mutating func take(_ pending: Pending, invocation id: String, _ image: StateIndex?) {
        let isThere = image.map { image in migration.new[image].invocations.contains { $0.id == id } } ?? false
        take(pending, isThere || pending.isKept ? image.map { pending.owned(by: $0) } : nil)
        if pending.isKept, !isThere, migration.new.states.contains(where: { $0.invocations.contains { $0.id == id } }) {
            // A retry would start a second invocation with the same id beside the one in the other state.
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

    /// Returns a timer of `after` for the state that stands for the timer's owner; `nil` if that state lacks the delay.
    private func timer(_ pending: Pending, of owner: StateIndex, _ image: StateIndex) -> Pending? {
        guard let delay = migration.old[owner].delay(of: pending.event),
            let timeout = migration.new[image].timeout(delay)
        else { return pending.isKept ? pending.owned(by: image) : nil }
        return Pending(
            id: pending.id, kind: pending.kind, event: timeout.event, data: pending.data, due: pending.due,
            owner: .state(image), misfire: timeout.misfire, isKept: pending.isKept)
    }

    /// Returns the timers of kept states whose old states had no timer with the same delay, in document order.
    func newTimeouts(_ states: StateMigration) -> [(state: StateIndex, timeout: Timeout)] {
        states.kept.flatMap { image in
            migration.new[image].timeouts.compactMap { timeout in
                // An old timer that is no longer armed has fired, and is not armed again.
                let isOld = states.sources(of: image).contains { source in
                    migration.new[image].delay(of: timeout.event).map { migration.old[source].timeout($0) != nil }
                        ?? false
                }
                return isOld ? nil : (image, timeout)
            }
        }
    }

    /// Returns the invocations of kept states whose old states lacked them. An old invocation that no longer runs has
    /// ended and is not started again. An invocation that the instance failed on keeps waiting.
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
    /// Returns the delay in the name of the state's timer, as written; `nil` for another event.
    fileprivate func delay(of event: String) -> String? {
        let suffix = "." + id
        guard timeouts.contains(where: { $0.event == event }), event.hasPrefix(EventName.timeoutPrefix),
            event.hasSuffix(suffix)
        else { return nil }
        return String(event.dropFirst(EventName.timeoutPrefix.count).dropLast(suffix.count))
    }

    /// Returns the state's timer of a delay, as written.
    fileprivate func timeout(_ delay: String) -> Timeout? {
        let event = EventName.timeoutPrefix + delay + "." + id
        return timeouts.first { $0.event == event }
    }
}
