/// The part of a deleted instance that is still to be removed, as stored.
package struct PurgeRecord: Sendable {
    /// True if the row is the instance's first one, emptied, whose key is remembered.
    package var waits: Bool
    /// The position of the instance's last row.
    package var head: Position
    package var instanceID: InstanceID
    /// The seq of the last row, which is also the number of rows left.
    package var seq: Seq
    /// The position of the instance's deletion.
    package var audit: Position

    package init(waits: Bool, head: Position, instanceID: InstanceID, seq: Seq, audit: Position) {
        self.waits = waits
        self.head = head
        self.instanceID = instanceID
        self.seq = seq
        self.audit = audit
    }
}
