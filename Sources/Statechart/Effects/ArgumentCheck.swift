/// The rules for the arguments of a program.
package enum ArgumentCheck {
    /// The most bytes of all arguments together. The limit is below the limit of Linux, so that the environment has
    /// room.
    package static let longest = 128 << 10

    /// One argument; `isLiteral` is true if the definition contains the argument as it is.
    package struct Argument: Sendable, Equatable {
        package let text: String
        package let isLiteral: Bool

        package init(_ text: String, isLiteral: Bool) {
            self.text = text
            self.isLiteral = isLiteral
        }
    }

    /// Returns the reason why a program cannot get these arguments; `nil` if it can. A computed argument must not be an
    /// option. So it may begin with `-` only after a literal `--`, where programs expect no options.
    package static func mistake(in arguments: [Argument]) -> String? {
        var isBehindOptions = false
        var bytes = 0
        for (number, argument) in arguments.enumerated() {
            if argument.text.utf8.contains(0) { return "argument \(number + 1) has a NUL" }
            if !argument.isLiteral, !isBehindOptions, argument.text.utf8.first == UInt8(ascii: "-") {
                return "argument \(number + 1) is computed and begins with '-'; write '--' before it"
            }
            if argument.isLiteral, argument.text == "--" { isBehindOptions = true }
            bytes += argument.text.utf8.count + 1
        }
        return bytes > longest ? "the arguments are longer than \(longest) bytes" : nil
    }
}
