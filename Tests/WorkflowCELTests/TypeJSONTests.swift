import Testing
import WorkflowJSON

@testable import WorkflowCEL

@Suite struct TypeJSONTests {
    private static let event = CELType.object(
        ObjectType(
            name: "event 'pay'",
            fields: [
                "amount": .double, "card": .string, "count": .int, "at": .timestamp, "wait": .duration, "proof": .bytes,
                "lines": .list(
                    .object(ObjectType(name: "a line", fields: ["price": .double, "note": .optional(.string)]))),
                "extra": .dyn, "rates": .map(key: .string, value: .double), "flag": .optional(.bool), "serial": .uint,
            ]))

    private static let data: JSONObject = [
        "amount": 250, "card": "tok_9", "count": 3, "at": "2026-01-31T12:00:00Z", "wait": "1h30m", "proof": "/w==",
        "lines": [["price": 1], ["price": 2.5, "note": "x"]], "extra": [1, 2.5, ["a": nothing]],
        "rates": ["a b": 1, "c": 2.0], "serial": 7,
    ]

    private static let nothing = JSONValue.null

    @Test func integersBecomeDoublesWhereDoublesAreDeclared() throws {
        let converted = try Self.event.converted(.object(Self.data), at: "data")
        #expect(
            JSONWriter.string(converted)
                == #"{"amount":250.0,"at":"2026-01-31T12:00:00Z","card":"tok_9","count":3,"extra":[1,2.5,{"a":null}],"#
                + #""lines":[{"price":1.0},{"note":"x","price":2.5}],"proof":"/w==","rates":{"a b":1.0,"c":2.0},"#
                + #""serial":7,"wait":"1h30m"}"#)
        #expect(try Self.event.converted(converted, at: "data") == converted)
    }

    @Test(
        arguments: [
            ("amount", "250", "data.amount is a string, not a double"),
            ("amount", nothing, "data.amount is null, not a double"),
            ("amount", 9_007_199_254_740_993, "data.amount is an int that no double equals"),
            ("count", 1.0, "data.count is a double, not an int"), ("card", 1, "data.card is an int, not a string"),
            ("serial", -1, "data.serial is negative, not a uint"), ("flag", 1, "data.flag is an int, not a bool"),
            ("at", "soon", "data.at is a string, but not a timestamp such as '2026-01-31T12:00:00Z'"),
            ("at", 5, "data.at is an int, not a timestamp such as '2026-01-31T12:00:00Z'"),
            ("wait", "1 day", "data.wait is a string, but not a duration such as '1h30m'"),
            ("proof", "%", "data.proof is a string, but not bytes in base64"),
            ("lines", ["price": 1], "data.lines is a map, not a list"),
            ("lines", [["price": 1], ["price": "1"]], "data.lines[1].price is a string, not a double"),
            ("lines", [["note": "x"]], "data.lines[0].price is missing"),
            ("lines", [["price": 1, "notes": "x"]], "data.lines[0].notes is no field of a line; did you mean 'note'?"),
            ("rates", ["a b": true], "data.rates['a b'] is a bool, not a double"),
            ("colour", 1, "data.colour is no field of event 'pay'"),
        ] as [(String, JSONValue, String)])
    func aMistakeSaysWhere(field: String, value: JSONValue, message: String) {
        var data = Self.data
        data[field] = value
        #expect(mistake(Self.event, .object(data)) == message)
    }

    @Test func fieldsThatAreNotOptionalMustBeThere() {
        var data = Self.data
        data["card"] = nil
        #expect(mistake(Self.event, .object(data)) == "data.card is missing")
        data["card"] = "x"
        data["flag"] = .null
        #expect(mistake(Self.event, .object(data)) == nil)
    }

    @Test func theValueItselfMayBeWrong() {
        #expect(mistake(.double, "x") == "data is a string, not a double")
        #expect(mistake(.map(key: .int, value: .dyn), [:]) == "data is a map, not a map with other keys than strings")
        #expect(mistake(.type, "int") == "data is a string, not a type")
        #expect(mistake(.optional(.list(.int)), 1) == "data is an int, not a list")
        #expect(mistake(.dyn, [1, "a"]) == nil)
        #expect(mistake(.null, .null) == nil)
    }

    private func mistake(_ type: CELType, _ json: JSONValue) -> String? {
        do throws(JSONMismatch) {
            _ = try type.converted(json, at: "data")
            return nil
        } catch {
            return error.message
        }
    }
}
