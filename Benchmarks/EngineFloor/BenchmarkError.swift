/// The reason why a measurement cannot continue.
package struct BenchmarkError: Error, CustomStringConvertible {
    /// The failure, and the thing that it concerns.
    package let description: String

    /// Creates an error with a text.
    package init(_ description: String) {
        self.description = description
    }
}
