import Statechart

/// Reads arbitrary bytes as a definition (libFuzzer's entry). The definition may be refused, but nothing else may
/// happen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDefinition(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(DefinitionError) {
        let machine = try DefinitionReader.read(text).machine
        // A definition that can be read can be started. A started instance can be written and read again.
        let identity = InstanceIdentity(name: "fuzz", version: 1, startedAt: .zero)
        guard case .accepted(let macrostep) = machine.apply(.start(), to: nil, as: identity) else { return 0 }
        let written = machine.text(of: macrostep.snapshot)
        let again = try? machine.snapshot(of: written, status: macrostep.snapshot.status, seq: 1)
        precondition(again == macrostep.snapshot, "a snapshot is not what was written")
    } catch {
        precondition(error.diagnostics.contains { $0.severity == .error }, "refused without a mistake")
    }
    return 0
}
