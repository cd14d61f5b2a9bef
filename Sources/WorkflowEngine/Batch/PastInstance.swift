import Statechart
import WorkflowStore

/// An instance as it was after a macrostep, for a cache.
final class PastInstance: Sendable {
    let state: InstanceState

    init(_ record: InstanceRecord, seq: Seq, snapshot: Snapshot, loaded: LoadedMachine) {
        state = InstanceState(record, asOf: seq, snapshot: snapshot, loaded: loaded)
    }

    /// The approximate number of bytes that the instance takes in a cache.
    var size: Int { state.size }

    /// Returns the instance as it was after a chain.
    func after(_ chain: Chain) -> PastInstance {
        let seq = Seq(rawValue: state.record.seq.rawValue + Int64(chain.count))
        return PastInstance(state.record, seq: seq, snapshot: chain.snapshot, loaded: state.loaded)
    }
}

extension InstanceState {
    /// Advances by the macrosteps of a chain without writing them.
    mutating func take(_ chain: Chain) {
        var digests = DigestBuffer()
        var texts = RowTexts()
        var journal: [JournalRecord] = []
        let itself = RowOrigin(.process(in: record.namespace))
        for link in chain.links {
            _ = advance(to: link, at: record.head, now: record.created, from: itself, &digests, &texts, &journal)
        }
    }
}
