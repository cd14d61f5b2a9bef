/// Memory for the texts and blobs that are bound to a statement for one run, so that SQLite need not copy them into
/// memory of its own.
///
/// A statement that has run still points here, but SQLite looks at a value only in the next run, before which every
/// value is bound anew. It has to live as long as such a run may begin; the writer keeps one as long as its connection.
final class BoundValues {
    /// Far more than the small columns of a row take. What is larger is copied by SQLite, which costs little beside it.
    private static let capacity = 16 * 1_024

    private let memory: UnsafeMutableRawBufferPointer
    private var used = 0

    init() {
        memory = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    /// Copies some bytes; nil when they do not fit. They stay until `removeAll`.
    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= memory.count - used, let start = memory.baseAddress?.advanced(by: used) else { return nil }
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
        return UnsafeRawPointer(start)
    }

    /// Makes room for the values of the next run.
    func removeAll() {
        used = 0
    }
}
