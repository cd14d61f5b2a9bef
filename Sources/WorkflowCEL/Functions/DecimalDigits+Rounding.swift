#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DecimalDigits {
    /// A double with a fixed count of digits after the point; what lies halfway goes to the even digit.
    ///
    /// - Parameter format: Of C's `printf`, for a precision and a double: `%.*f` or `%.*e`.
    static func rounded(_ double: Double, _ format: String, _ precision: Int) -> String {
        guard double.isFinite else { return notFinite(double) }
        // The largest double has 309 digits before the point.
        return String(unsafeUninitializedCapacity: precision + 330) { bytes in
            withVaList([Int32(precision), double]) { arguments in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    Int(vsnprintf(bytes.baseAddress, bytes.count, format, arguments))
                }
            }
        }
    }
}
