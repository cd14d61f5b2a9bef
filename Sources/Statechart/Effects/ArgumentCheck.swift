/// What may be an argument of a program.
package enum ArgumentCheck {
    /// Bytes of all arguments together, as far below the bound of Linux as to leave room for the environment.
    package static let longest = 128 << 10

    /// One argument, and whether it stands in the definition as it is.
    package struct Argument: Sendable, Equatable {
        package let text: String
        package let isLiteral: Bool

        package init(_ text: String, isLiteral: Bool) {
            self.text = text
            self.isLiteral = isLiteral
        }
    }

    /// Why a program cannot be given these arguments; nil when it can. What is computed is no option: it may begin with
    /// `-` only behind a literal `--`, where programs expect no options.
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
