import Foundation
import Testing
import ThreadTesting
import WorkflowCEL

/// Runs the vectors of the folder beside the project, or of the folder in `CONFORMANCE`. The vectors are not ours.
@Suite(.ownThreads) struct CELConformanceTests {
    @Test(.timeLimit(.minutes(20)), .enabled(ConformanceFolder.absence) { try ConformanceFolder.isDemanded("cel") })
    func everyExpressionVectorPasses() throws {
        let files = try ConformanceFolder.files(in: "cel")
        var passed = 0
        var failures: [(vector: CELVector, reason: String)] = []
        for file in files {
            for vector in try CELVector.read(file: file) {
                if let failure = vector.failure { failures.append((vector, failure)) } else { passed += 1 }
            }
        }
        print("cel: \(passed) passed, \(failures.count) failed")
        for (vector, reason) in failures {
            print("  failed: \(vector.name): \(reason)" + (vector.contradiction.map { "; \($0)" } ?? ""))
        }
        #expect(passed >= 1, "\(ConformanceFolder.absence)")
        #expect(failures.filter { $0.vector.contradiction == nil }.map(\.vector.name) == [])
    }
}

extension CELVector {
    /// The reason why no implementation of the language can pass the vector; `nil` if one can.
    fileprivate var contradiction: String? {
        guard expression.hasPrefix("b"), case .value(.bytes(let bytes)) = expectation,
            bytes.contains(UInt8(ascii: "\\")), !expression.contains("\\")
        else { return nil }
        return "the vector expects a backslash in a literal that has none"
    }
}

extension CELVector {
    /// The reason why the vector fails; `nil` if it passes.
    fileprivate var failure: String? {
        let outcome = Result { () throws(CELVectorFailure) in try value() }
        switch (outcome, expectation) {
        case (.failure, .error): return nil
        case (.failure(let failure), .value): return failure.message
        case (.success(let value), .error): return "gives \(value), not an error"
        case (.success(let value), .value(let expected)):
            return value.isIdentical(to: expected) ? nil : "gives \(value), not \(expected)"
        }
    }

    private func value() throws(CELVectorFailure) -> Value {
        let compilation = Program.compile(expression, in: environment, options)
        guard let program = compilation.program else {
            throw CELVectorFailure(message: compilation.issues.map(\.message).joined(separator: "; "))
        }
        var budget = Budget()
        do throws(EvaluationError) {
            return try program.value(Bindings(vector: self), &budget)
        } catch {
            throw CELVectorFailure(message: error.message)
        }
    }
}

private struct CELVectorFailure: Error {
    let message: String
}

private struct Bindings: Activation {
    let vector: CELVector

    func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value {
        guard let value = vector.bindings[variable] else {
            throw EvaluationError(.host, "'\(vector.environment.variables[variable].name)' has no value")
        }
        return value
    }

    func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
        throw EvaluationError(.host, "there are no functions")
    }
}

extension Value {
    /// Returns true if both values have the same type and are equal. Unlike `==` of the language, NaN equals NaN.
    fileprivate func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.uint(let left), .uint(let right)): left == right
        case (.double(let left), .double(let right)): left.isNaN ? right.isNaN : left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.duration(let left), .duration(let right)): left == right
        case (.type(let left), .type(let right)): left == right
        case (.list(let left), .list(let right)):
            left.count == right.count && (0..<left.count).allSatisfy { left[$0].isIdentical(to: right[$0]) }
        case (.map(let left), .map(let right)):
            left.count == right.count
                && (0..<left.count).allSatisfy {
                    left[$0].key == right[$0].key && left[$0].value.isIdentical(to: right[$0].value)
                }
        case (.optional(nil), .optional(nil)): true
        case (.optional(let left?), .optional(let right?)): left.isIdentical(to: right)
        default: false
        }
    }
}
