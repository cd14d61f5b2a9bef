import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct ValueJSONTests {
    @Test func everythingWithAFormIsKept() throws {
        let moment = try Value.moment("2026-01-31T12:00:00.5+01:00")
        let map = Value.map(
            .entries([
                .init(key: .string("a"), value: .values(.int(1), .uint(2), .double(3), .null, .bool(true))),
                .init(key: .string("b"), value: moment), .init(key: .string("c"), value: try .span("1500ms")),
                .init(key: .string("d"), value: .bytes([0xFF])), .init(key: .string("é"), value: .string("🐱")),
            ]))
        #expect(
            try written(map)
                == #"{"a":[1,2,3.0,null,true],"b":"2026-01-31T11:00:00.5Z","c":"1.5s","d":"/w==","é":"🐱"}"#)
    }

    @Test(arguments: [
        (Value.double(.nan), "NaN has no JSON"), (.double(-.infinity), "-Infinity has no JSON"),
        (.uint(1 << 63), "a uint past 9223372036854775807 has no JSON; write double(…) or string(…)"),
        (.type(.int), "a type has no JSON"), (.optional(.int(1)), "an optional has no JSON; write .orValue(null)"),
        (
            .map(.entries([.init(key: .int(1), value: .null)])),
            "a map with a key that is no string has no JSON; write string(…) as its key"
        ),
        (.values(.values(.double(.infinity))), "Infinity has no JSON"),
    ])
    func theRestIsRefused(value: Value, message: String) {
        #expect(failure(value) == message)
    }

    @Test func whatCameFromJSONCostsNothing() throws {
        let list = JSONValue.array(Array(repeating: 1, count: 100_000))
        var budget = Budget(1)
        #expect(try Value(list).json(&budget) == list)
        budget = Budget(4)
        #expect(try Value(["a": list]).json(&budget) == ["a": list])
    }

    @Test func nothingIsKeptThatCannotBeReadAgain() throws {
        let deepest = nested(JSONReader.deepestNesting)
        let text = try written(Value(deepest))
        #expect(try JSONReader.value(from: text) == deepest)
        let message = "the value is nested deeper than 128 levels"
        #expect(failure(.values(Value(deepest))) == message)
        #expect(failure(.values(Value(nested(JSONReader.deepestNesting - 1)))) == nil)
        var made = Value.null
        for _ in 0...JSONReader.deepestNesting { made = .values(made) }
        #expect(failure(made) == message)
        var budget = Budget()
        #expect(throws: EvaluationError.self) { try Value(deepest).json(&budget, level: 1) }
    }

    @Test func conversionTakesFromTheBudget() {
        let list = Value.values(.int(1), .int(2), .int(3))
        #expect(failure(list, steps: 3) == "the expression takes more than \(CELLimits.evaluation) steps")
        #expect(failure(list, steps: 4) == nil)
        let large = Value.bytes(Array(repeating: 0, count: 800_000))
        #expect(failure(large) == "a value of 1066668 bytes is larger than \(CELLimits.valueBytes)")
    }

    private func nested(_ levels: Int) -> JSONValue {
        (0..<levels).reduce(1) { inner, _ in [inner] }
    }

    private func written(_ value: Value) throws -> String {
        var budget = Budget()
        return JSONWriter.string(try value.json(&budget))
    }

    private func failure(_ value: Value, steps: Int = CELLimits.evaluation) -> String? {
        var budget = Budget(steps)
        do throws(EvaluationError) {
            _ = try value.json(&budget)
            return nil
        } catch {
            return error.message
        }
    }
}
