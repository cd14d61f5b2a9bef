package import WorkflowStore

// Changes that belong to no instance's history.

extension Engine {
    /// Records a change of tokens, which is on disk on return. Returns false if the store has this change or a later
    /// one already, so a caller may repeat the call at each start.
    ///
    /// - Parameters:
    ///   - token: The name of the changed token.
    ///   - detail: The change in words, for people; without a secret.
    ///   - number: The number of the change, from 0, which increases with each change of tokens.
    @discardableResult
    package func record(
        changeOf token: String, _ detail: String, number: Int64, by caller: Caller
    ) async throws(Rejection) -> Bool {
        guard !token.isEmpty, ChangeRecord.numbers.contains(number) else {
            throw .invalidData("A change of tokens has the name of the token and a number that counts from 0")
        }
        return try await queue.submit(
            RecordChangeCommand(action: .token, object: token, number: number, detail: detail, caller: caller))
    }

    /// Returns a page of the caller's deletions and changes, latest first, with the machines of deleted instances.
    package func audits(_ query: AuditQuery, by caller: Caller) async throws(Rejection) -> AuditView {
        let page = try await read { () async throws(StoreError) in try await store.audits(query, in: caller.namespace) }
        var view = AuditView(page: page, machines: [:])
        for case .deletion(let audit) in page.entries where audit.machineID != AuditRecord.noMachine {
            guard view.machines[audit.machineID] == nil else { continue }
            view.machines[audit.machineID] = try await loadedMachine(audit.machineID).record
        }
        return view
    }
}

/// A page of deletions and changes.
package struct AuditView: Sendable {
    package let page: AuditPage
    /// The machine versions of the deleted instances, as far as the store has them.
    package fileprivate(set) var machines: [MachineID: MachineRecord]
}
