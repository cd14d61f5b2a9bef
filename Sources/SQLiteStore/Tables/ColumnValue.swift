import Statechart
import WorkflowStore

/// A value that is bound to one parameter of a statement, or a key that is bound to several.
protocol ColumnValue {
    /// Binds the value to the next parameter, or each part of a key to a parameter of its own.
    func bind(to statement: inout PreparedStatement)
}

extension PreparedStatement {
    /// Binds a value to the next parameter.
    mutating func bind<Value: ColumnValue>(_ value: Value) {
        value.bind(to: &self)
    }

    /// Binds values to the next parameters.
    mutating func bind<First: ColumnValue, Second: ColumnValue, each Value: ColumnValue>(
        _ first: First, _ second: Second, _ value: repeat each Value
    ) {
        first.bind(to: &self)
        second.bind(to: &self)
        repeat (each value).bind(to: &self)
    }
}

extension Int64: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(integer: self) }
}

extension Int: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(integer: Int64(self)) }
}

extension Bool: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(integer: self ? 1 : 0) }
}

extension String: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(text: self) }
}

extension [UInt8]: ColumnValue {
    func bind(to statement: inout PreparedStatement) { withUnsafeBytes { statement.bind(blob: $0) } }
}

extension Digest: ColumnValue {
    func bind(to statement: inout PreparedStatement) { withUnsafeBytes { statement.bind(blob: $0) } }
}

extension UniqueID: ColumnValue {
    func bind(to statement: inout PreparedStatement) { withUnsafeBytes { statement.bind(blob: $0) } }
}

extension Salt: ColumnValue {
    func bind(to statement: inout PreparedStatement) { withUnsafeBytes { statement.bind(blob: $0) } }
}

extension RequestKey: ColumnValue {
    func bind(to statement: inout PreparedStatement) { bytes.bind(to: &statement) }
}

extension KeyScope: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(integer: rawValue) }
}

extension StoredValue: ColumnValue {
    func bind(to statement: inout PreparedStatement) {
        switch self {
        case .null: statement.bindNull()
        case .integer(let number): statement.bind(integer: number)
        case .text(let bytes): bytes.withUnsafeBytes { statement.bind(text: $0) }
        case .blob(let bytes): bytes.bind(to: &statement)
        }
    }
}

extension MachineKey: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(namespace, name) }
}

extension InstanceKey: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(namespace, name) }
}

extension BulkKey: ColumnValue {
    func bind(to statement: inout PreparedStatement) { statement.bind(namespace, name, partition) }
}

extension TimerKey: ColumnValue {
    func bind(to statement: inout PreparedStatement) {
        statement.bind(due)
        statement.bind(position)
        statement.bind(ordinal)
    }
}

extension TallyKey: ColumnValue {
    func bind(to statement: inout PreparedStatement) {
        statement.bind(machineID)
        statement.bind(status)
        statement.bind(configuration)
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    func bind(to statement: inout PreparedStatement) {
        if let self { self.bind(to: &statement) } else { statement.bindNull() }
    }
}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    func bind(to statement: inout PreparedStatement) { rawValue.bind(to: &statement) }
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
extension EffectState: ColumnValue {}
extension BulkRecord.State: ColumnValue {}
extension StoreClock: ColumnValue {}
