import DaemonTesting

/// A machine whose instances begin with a task for the queue `stock`.
enum ParcelMachine {
    private static let text = """
        id: parcel
        initial: packing
        states:
          packing: {invoke: {task: stock, onDone: packed, onError: lost}}
          packed: {type: final}
          lost: {}
        """

    /// Applies the machine and starts the instance `p`, whose task is not done.
    static func begin(on daemon: Daemon, in folder: TemporaryFolder) async throws {
        _ = try await daemon.said("apply", try folder.write(text, to: "parcel.yaml"))
        _ = try await daemon.said("start", "parcel", "p")
    }
}
