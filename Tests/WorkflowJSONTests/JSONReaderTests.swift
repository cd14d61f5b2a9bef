import Testing
import WorkflowJSON

@Suite struct JSONReaderTests {
    private static let values: [(String, JSONValue)] = [
        ("null", .null), ("true", true), ("false", false), ("0", 0), ("-12", -12),
        ("9223372036854775807", .int(.max)), ("1.0", 1.0), ("1e3", 1_000.0), ("-0.5E-1", -0.05),
        (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\ud83d\ude00""#, "é😀"),
        ("[]", []), ("[1, [2]]", [1, [2]]), ("{}", [:]), (#"{"b":1,"a":{"c":null}}"#, ["a": ["c": .null], "b": 1]),
        (" \t\r\n1 ", 1),
    ]

    @Test(arguments: values)
    func readsEveryKindOfValue(text: String, expected: JSONValue) throws {
        #expect(try JSONReader.value(from: text) == expected)
    }

    @Test(arguments: [
        ("", "line 1, column 1: expected a value, found the end of the text"),
        ("tru", "line 1, column 1: expected a value, found 't'"),
        ("[1,\n2", "line 2, column 2: expected ',' or ']', found the end of the text"),
        ("[1,]", "line 1, column 4: expected a value, found ']'"),
        (#"{"a" 1}"#, "line 1, column 6: expected ':' after the key, found '1'"),
        (#"{a: 1}"#, "line 1, column 2: expected a key in double quotes, found 'a'"),
        (#"{"a":1,"a":2}"#, "line 1, column 8: the key 'a' stands twice"),
        ("1 2", "line 1, column 3: expected nothing more after the value, found '2'"),
        ("01", "line 1, column 2: expected nothing more after the value, found '1'"),
        ("1.", "line 1, column 3: expected a digit, found the end of the text"),
        ("1e999", "line 1, column 1: the number 1e999 does not fit a double"),
        ("9223372036854775808", "line 1, column 1: the integer 9223372036854775808 does not fit 64 bits"),
        (#""\ud83d""#, "line 1, column 2: half of a surrogate pair"),
        (#""\ud83d\u0041""#, "line 1, column 2: half of a surrogate pair"),
        (#""\x""#, "line 1, column 3: expected an escape such as \\n or \\u00e9, found 'x'"),
        ("\"a\tb\"", "line 1, column 3: expected an escape in place of a control character, found the byte 0x9"),
        ("\"é", "line 1, column 3: expected the string's closing quote, found the end of the text"),
    ])
    func saysWhereAndWhatIsWrong(text: String, message: String) {
        #expect(throws: JSONError.self) { try JSONReader.value(from: text) }
        do throws(JSONError) {
            _ = try JSONReader.value(from: text)
        } catch {
            #expect(error.description == message)
        }
    }

    @Test func invalidUTF8IsNoString() {
        #expect(throws: JSONError.self) { try JSONReader.value(from: [0x22, 0xFF, 0x22]) }
    }

    @Test func tenThousandBracketsAreRefusedNotACrash() {
        let text = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        do throws(JSONError) {
            _ = try JSONReader.value(from: text)
            Issue.record("nesting must be bounded")
        } catch {
            #expect(error.code == .depth)
        }
        let deepest = JSONReader.deepestNesting
        #expect(
            throws: Never.self,
            performing: {
                try JSONReader.value(
                    from: String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest))
            })
    }
}
