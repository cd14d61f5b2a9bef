import Statechart
import WorkflowStore

extension BatchBuilder {
    /// Records a change that belongs to no instance's history, in the transaction of the change.
    mutating func recordChange(
        _ action: ChangeAction, of object: String? = nil, version: MachineVersion? = nil, number: Int64? = nil,
        detail: String? = nil, reason: String? = nil, by caller: Caller
    ) {
        let change = ChangeRecord(
            position: numbers.nextPosition, namespace: caller.namespace, at: max(now, numbers.last),
            by: caller.actor, action, of: object, version: version, number: number, detail: detail, reason: reason)
        numbers.nextPosition = change.position.next
        changes.recorded.append(change)
        bytes += 256 + (detail?.utf8.count ?? 0) + (reason?.utf8.count ?? 0)
    }

    /// The highest number of a recorded change of tokens, with the changes applied so far; `nil` if there is none.
    var lastChangeNumber: Int64? {
        get throws(Rejection) {
            if let number = newest({ $0.recorded.compactMap(\.number).max() }) { return number }
            return try read { () throws(StoreError) in try store.lastChangeNumber() }
        }
    }
}
