package import WorkflowStore

/// The W3C Trace Context (section 3.2) that tells outside parties to which trace an attempt belongs.
package enum TraceContext {
    /// - Parameters:
    ///   - instance: The uuid of the instance, which is the trace.
    ///   - key: The uuid of the effect; the span is derived from the effect and the attempt.
    ///   - attempt: The number of the attempt, 1 for the first.
    package static func parent(instance: UniqueID, key: UniqueID, attempt: Int64) -> String {
        // The last bytes of the key are the most random. The first of them is never zero, as a span must not be zero.
        var span = Array(key.bytes.suffix(8))
        span[7] ^= UInt8(truncatingIfNeeded: attempt)
        return "00-\(instance.bytes.hexadecimal)-\(span.hexadecimal)-01"
    }
}
