import Statechart
import WorkflowStore

/// A value of one column.
protocol ColumnValue {
    static var element: ArrayColumn.Element { get }

    /// Appends the value to the array of its column.
    func append(to column: inout ArrayColumn)
}

extension Int64: ColumnValue {
    static var element: ArrayColumn.Element { .int8 }
    func append(to column: inout ArrayColumn) { column.append(self) }
}

extension Bool: ColumnValue {
    static var element: ArrayColumn.Element { .bool }
    func append(to column: inout ArrayColumn) { column.append(self) }
}

extension String: ColumnValue {
    static var element: ArrayColumn.Element { .text }
    func append(to column: inout ArrayColumn) { column.append(self) }
}

extension [UInt8]: ColumnValue {
    static var element: ArrayColumn.Element { .bytea }
    func append(to column: inout ArrayColumn) { withUnsafeBytes { column.append($0) } }
}

extension Digest: ColumnValue {
    static var element: ArrayColumn.Element { .bytea }
    func append(to column: inout ArrayColumn) { withUnsafeBytes { column.append($0) } }
}

extension UniqueID: ColumnValue {
    static var element: ArrayColumn.Element { .bytea }
    func append(to column: inout ArrayColumn) { withUnsafeBytes { column.append($0) } }
}

extension Salt: ColumnValue {
    static var element: ArrayColumn.Element { .bytea }
    func append(to column: inout ArrayColumn) { withUnsafeBytes { column.append($0) } }
}

extension RequestKey: ColumnValue {
    static var element: ArrayColumn.Element { .bytea }
    func append(to column: inout ArrayColumn) { bytes.append(to: &column) }
}

extension KeyScope: ColumnValue {
    static var element: ArrayColumn.Element { .int8 }
    func append(to column: inout ArrayColumn) { column.append(rawValue) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    static var element: ArrayColumn.Element { Wrapped.element }
    func append(to column: inout ArrayColumn) {
        if let self { self.append(to: &column) } else { column.appendNull() }
    }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    static var element: ArrayColumn.Element { RawValue.element }
    func append(to column: inout ArrayColumn) { rawValue.append(to: &column) }
}

extension NamespaceID: ColumnValue {}
extension PartitionID: ColumnValue {}
extension MachineID: ColumnValue {}
extension MachineName: ColumnValue {}
extension MachineVersion: ColumnValue {}
extension InstanceID: ColumnValue {}
extension InstanceName: ColumnValue {}
extension InstanceStatus: ColumnValue {}
extension JournalKind: ColumnValue {}
extension Position: ColumnValue {}
extension Seq: ColumnValue {}
extension Timestamp: ColumnValue {}
extension Actor: ColumnValue {}
extension ChangeAction: ColumnValue {}
extension BulkRecord.State: ColumnValue {}
extension EffectState: ColumnValue {}
