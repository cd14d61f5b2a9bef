/// Why a JSON value cannot stand where a type is declared.
package struct JSONMismatch: Error, Sendable, Equatable {
    /// Where in the value: `data.lines[2].amount`.
    package fileprivate(set) var path: String
    /// What is wrong there: `is a string, not a double`.
    package let reason: String

    init(_ reason: String) {
        path = ""
        self.reason = reason
    }

    /// The whole sentence: `data.amount is a string, not a double`.
    package var message: String { "\(path) \(reason)" }

    /// The same mistake, seen from further outside.
    func within(_ outer: String) -> JSONMismatch {
        var mismatch = self
        mismatch.path = outer + path
        return mismatch
    }

    /// The same mistake, seen from the object around it.
    func within(field: String) -> JSONMismatch {
        let isName =
            field.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
            && field.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            }
        return within(isName ? ".\(field)" : "['\(field)']")
    }
}
