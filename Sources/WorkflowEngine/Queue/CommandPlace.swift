import WorkflowStore

/// The part of the store in which a command applies.
enum CommandPlace: Sendable {
    case instance(InstanceKey)
    /// The partition of an id or of a position.
    case partition(PartitionID)
    /// The partition of a new instance without a name, by its machine and key; without a key any partition.
    case unnamed(MachineKey, RequestKey?)
    /// The first partition, which has everything that belongs to the whole store.
    case first
}

/// A command that applies in one part of the store.
protocol PlacedCommand: WriterCommand {
    var place: CommandPlace { get }
}
