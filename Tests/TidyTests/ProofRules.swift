import Foundation

/// Rules for the places where an unexpected value ends the process.
///
/// Values from the wire or from a file are checked and refused. If a place can trap all the same, a comment beside it
/// proves that no such value reaches it. The rules do not see sums and products of 64 bits, because the text does not
/// show types. So the numbers have limits where they come in: those of rows and bodies within 2⁵³, times within the
/// years 0 to 9999. A few of them together fit 64 bits. Code that reads a number of a row without limits says why
/// nothing counts with it.
enum ProofRules {
    /// The targets that read the output of others: requests, answers, files, programs.
    static let targets = [
        "DurableMachines", "PostgresStore", "SQLiteStore", "WorkflowAPI", "WorkflowCalls", "WorkflowClient",
        "WorkflowCommand",
        "WorkflowEffects", "WorkflowAccess", "WorkflowEngine", "WorkflowJSON", "WorkflowPrograms", "WorkflowServer",
        "WorkflowStore",
    ]

    /// Finds traps without a proof: a comment `// Proof: …` on the same line, or on its own lines directly before it.
    static func unproven(_ file: SourceFile) -> [Finding] {
        guard file.isSwift, targets.contains(where: { file.isIn("Sources/" + $0) }) else { return [] }
        return zip(file.lines.indices, file.maskedLines).compactMap { index, code in
            guard signs.contains(where: { strstr(code, $0) != nil }), !isProven(index, in: file.lines) else {
                return nil
            }
            let message: String
            if let trap = trap(in: code) {
                message =
                    "'\(trap)' ends the process: refuse such a value, or write '// Proof: …' beside it, why none comes "
                    + "here"
            } else if file.isIn("Sources/SQLiteStore"), readsAnyNumber(code) {
                message =
                    "'integer' takes every number of 64 bits: give it bounds, or write '// Proof: …' beside it, why "
                    + "nothing counts with it"
            } else {
                return nil
            }
            return Finding(file.path, line: index + 1, message)
        }
    }

    /// Returns true if a number of a row is read without limits, and not only compared.
    private static func readsAnyNumber(_ code: String) -> Bool {
        code.ranges(of: "row.integer(").contains { call in
            let arguments = code[call.upperBound...].prefix { $0 != ")" }
            if arguments.hasPrefix("in:") { return false }
            let rest = code[arguments.endIndex...].dropFirst()
            return !["== ", "!= "].contains { rest.hasPrefix(" " + $0) }
        }
    }

    /// The conversions to small numbers, and the sign that the least number cannot lose.
    private static let conversions = ["Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32", "abs"]

    private static let calls = ["assert", "assertionFailure", "fatalError", "precondition", "preconditionFailure"]

    /// One of these is in every line that breaks a rule. Most lines have none, and are not looked at again.
    private static let signs =
        (calls + conversions).map { $0 + "(" } + ["!", "[0]", "unsafelyUnwrapped", "row.integer("]

    /// Returns the first trap in a line of code; `nil` if there is none.
    private static func trap(in code: String) -> String? {
        for name in calls where isCalled(name, in: code) { return name }
        for name in conversions where converts(name, in: code) { return name }
        for word in ["try!", "as!", "unsafelyUnwrapped"] where code.contains(word) { return word }
        let characters = Array(code)
        for (place, character) in characters.enumerated() where place > 0 && endsValue(characters[place - 1]) {
            let next = characters.dropFirst(place + 1)
            if character == "!", next.first != "=" { return "!" }
            if character == "[", next.first == "0", next.dropFirst().first == "]" { return "[0]" }
        }
        return nil
    }

    private static func isCalled(_ name: String, in code: String) -> Bool {
        code.split(separator: name + "(", omittingEmptySubsequences: false).dropLast().contains {
            $0.last.map { !isPartOfName($0) && $0 != "." } ?? true
        }
    }

    /// Returns true if a value is converted by a call without a label. Labels decide the result for a value that does
    /// not fit. Constants of C begin with a capital letter, and fit.
    private static func converts(_ name: String, in code: String) -> Bool {
        code.ranges(of: name + "(").contains { call in
            let isName = code[..<call.lowerBound].last.map { !isPartOfName($0) && $0 != "." } ?? true
            let argument = code[call.upperBound...]
            let word = argument.prefix(while: isPartOfName)
            let isLabel = argument.dropFirst(word.count).first == ":"
            return isName && !isLabel && (word.first?.isLowercase == true || argument.first == "$")
        }
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    /// Returns true for the last character of a value, to which the following operator applies.
    private static func endsValue(_ character: Character) -> Bool {
        isPartOfName(character) || [")", "]", "?", "}", "`"].contains(character)
    }

    private static func isProven(_ index: Int, in lines: [Substring]) -> Bool {
        let words = { (line: Substring) in line.drop { $0 == " " } }
        let own = lines[index].ranges(of: "// Proof: ").last.map { lines[index][$0.upperBound...] }
        if let own, !own.isEmpty { return true }
        return lines[..<index].reversed().prefix { words($0).hasPrefix("//") }.contains {
            words($0).hasPrefix("// Proof: ") && words($0).count > "// Proof: ".count
        }
    }
}
