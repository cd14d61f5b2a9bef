package import WorkflowStore

/// What tells those outside to which trace an attempt belongs, as W3C Trace Context has it (section 3.2).
package enum TraceContext {
    /// - Parameters:
    ///   - instance: Its uuid is the trace.
    ///   - key: Of the effect: the span is of it and of the attempt.
    ///   - attempt: 1 for the first.
    package static func parent(instance: UniqueID, key: UniqueID, attempt: Int64) -> String {
        // Of the key the last bytes are the most random; the first of them is never zero, as a span must not be.
        var span = Array(key.bytes.suffix(8))
        span[7] ^= UInt8(truncatingIfNeeded: attempt)
        return "00-\(instance.bytes.hexadecimal)-\(span.hexadecimal)-01"
    }
}
