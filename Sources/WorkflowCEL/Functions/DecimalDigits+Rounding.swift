#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension DecimalDigits {
    /// Returns a double with a fixed number of digits after the point. Ties round to the even digit.
    ///
    /// - Parameter format: A `printf` format for a precision and a double: `%.*f` or `%.*e`.
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
