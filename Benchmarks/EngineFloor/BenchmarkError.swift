/// Why a measurement cannot go on.
package struct BenchmarkError: Error, CustomStringConvertible {
    /// What went wrong, on which thing.
    package let description: String

    /// An error with this text.
    package init(_ description: String) {
        self.description = description
    }
}
