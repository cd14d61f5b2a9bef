import Testing
import WorkflowJSON

@Suite struct JSONWriterTests {
    @Test(arguments: [
        "null", "true", "-12", "1.0", "1e+20", "0.1", "\"a\\\"\\\\\\n\\u0001é\"", "[]", "[1,[2.5,null]]",
        "{\"a\":{\"b\":[]},\"c\":\"\"}",
    ])
    func canonicalTextIsReadAndWrittenTheSame(text: String) throws {
        #expect(JSONWriter.string(try JSONReader.value(from: text)) == text)
    }

    @Test func membersStandInTheOrderOfTheirKeysBytes() throws {
        let value = try JSONReader.value(from: #"{"b":1,"é":2,"a":3,"Z":4,"aa":5}"#)
        #expect(JSONWriter.string(value) == #"{"Z":4,"a":3,"aa":5,"b":1,"é":2}"#)
    }

    @Test func equivalentUnicodeIsNotTheSameKey() throws {
        let value = try JSONReader.value(from: "{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(value.object?.count == 2)
        #expect(value.object?["\u{e9}"] == 1)
        #expect(JSONValue.string("\u{e9}") != JSONValue.string("e\u{301}"))
    }

    @Test func integersAndDoublesStayApart() {
        #expect(JSONValue.int(1) != JSONValue.double(1))
        #expect(JSONWriter.string(JSONValue.double(1)) == "1.0")
        #expect(JSONWriter.string(JSONValue.int(1)) == "1")
    }

    @Test(arguments: [
        "0", "-1", "7", "999999999999999999", "-99999999999999999", "1000000000000000000", "9223372036854775807",
        "-9223372036854775808",
    ])
    func integersOfEveryLengthAreReadAndWrittenTheSame(text: String) throws {
        #expect(try JSONReader.value(from: text) == .int(#require(Int64(text))))
        #expect(JSONWriter.string(try JSONReader.value(from: text)) == text)
    }

    @Test func linesHoldAValueEach() {
        var writer = JSONWriter()
        for value: JSONValue in [1, ["a", 2], [:]] {
            value.write(to: &writer)
            writer.endLine()
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "1\n[\"a\",2]\n{}\n")
    }

    @Test func fieldsAreWrittenInTheOrderGiven() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("b", 1)
            writer.field("absent", ifPresent: nil as String?)
            writer.field("a", ["x", "y"])
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"b":1,"a":["x","y"]}"#)
    }

    @Test func settingAMemberToNilRemovesIt() {
        var object = JSONObject()
        for key in ["m", "a", "z", "a"] { object[key] = .string(key) }
        object["m"] = nil
        #expect(object.keys == ["a", "z"])
    }
}
