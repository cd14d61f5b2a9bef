/// The reason that a JSON value does not fit a declared type.
package struct JSONMismatch: Error, Sendable, Equatable {
    /// The place within the value: `data.lines[2].amount`.
    package fileprivate(set) var path: String
    /// The problem: `is a string, not a double`.
    package let reason: String

    init(_ reason: String) {
        path = ""
        self.reason = reason
    }

    /// The full sentence: `data.amount is a string, not a double`.
    package var message: String { "\(path) \(reason)" }

    /// Returns the same mismatch with a prefix to its path.
    func within(_ outer: String) -> JSONMismatch {
        var mismatch = self
        mismatch.path = outer + path
        return mismatch
    }

    /// Returns the same mismatch with the path from the enclosing object.
    func within(field: String) -> JSONMismatch {
        let isName =
            field.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
            && field.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            }
        return within(isName ? ".\(field)" : "['\(field)']")
    }
}
