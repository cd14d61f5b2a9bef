import Foundation
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests the API's description, which is made from the table of routes and the lists of fields.
struct OpenAPITests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// `docs/openapi.json` is written from the table. If it differs, the expected text is in `.build/openapi.json`.
    @Test func theDocumentIsThatOfTheTable() throws {
        let object = try JSONSerialization.jsonObject(with: Data(JSONWriter.bytes(OpenAPIDocument.object)))
        let text = try JSONSerialization.data(
            withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        if try Data(contentsOf: Self.root.appending(path: "docs/openapi.json")) != text + Data("\n".utf8) {
            try (text + Data("\n".utf8)).write(to: Self.root.appending(path: ".build/openapi.json"))
            Issue.record("docs/openapi.json is not what the table says; copy .build/openapi.json")
        }
    }

    @Test func aRouteIsNamedAsItIsInTheTable() throws {
        let table = try String(
            contentsOf: Self.root.appending(path: "Sources/WorkflowAPI/Routes/RouteTable.swift"), encoding: .utf8)
        let names = table.matches(of: /static let (\w+) = Route\(\s*"(\w+)"/)
        #expect(names.allSatisfy { $0.1 == $0.2 })
        #expect(Set(names.map { String($0.2) }) == Set(Route.all.map(\.name)))
        #expect(names.count == Route.all.count)
    }

    @Test func everyReferenceLeadsToASchema() {
        let text = JSONWriter.string(OpenAPIDocument.object)
        let named = Set(text.matches(of: /"#\/components\/schemas\/(\w+)"/).map { String($0.1) })
        let schemas = OpenAPIDocument.object["components"]?.object?["schemas"]?.object?.keys ?? []
        #expect(named.count > 90 && named.isSubset(of: schemas))
    }

    /// An answer in JSON has a type of the wire; the other answers are texts, files and definitions.
    @Test func everyAnswerHasItsType() {
        let untyped = Route.all.filter { route in
            switch route.answer {
            case .object(let form), .lines(let form), .events(let form): form.type == nil
            case .bytes, .nothing: false
            }
        }
        #expect(untyped == [.openAPI])
    }

    @Test func fieldsGiveTheirTypesBoundsAndWords() {
        var book = SchemaBook(prefix: "#/$defs/")
        #expect(UndoRequest.schema(in: &book) == ["$ref": "#/$defs/UndoRequest"])
        #expect(Page<EventItem>.schema(in: &book) == ["$ref": "#/$defs/PageOfEventItem"])
        let reason: JSONValue = [
            "type": "string", "minLength": 1, "maxLength": 1000, "description": "1 to 1000 bytes of UTF-8",
        ]
        #expect(
            book.schemas["UndoRequest"] == [
                "type": "object", "required": ["reason"],
                "properties": [
                    "reason": reason, "invocations": ["type": "string", "enum": ["again", "answer"]],
                    "seq": ["type": "integer"], "dryRun": ["type": "boolean"],
                ],
            ])
        #expect(
            book.schemas["PageOfEventItem"]?["properties"]
                == [
                    "items": ["type": "array", "items": ["$ref": "#/$defs/EventItem"]],
                    "nextPage": ["type": "string"],
                ])
        #expect(
            book.schemas["EventItem"]?["properties"]?.object?["accepted"]
                == ["anyOf": [["type": "boolean"], ["type": "null"]]])
    }

    @Test func fieldsOfAnotherRecordStandAmongThese() {
        var book = SchemaBook(prefix: "")
        _ = AttemptItem.schema(in: &book)
        let schema = book.schemas["AttemptItem"]
        #expect(schema?["properties"]?.object?.keys == ["attempt", "begun", "ended", "error", "id", "outcome", "seq"])
        #expect(schema?["required"] == ["seq", "attempt", "begun", "ended", "outcome"])
    }

    /// Some types are written by hand, because a copy of them is expensive. They must agree with their lists of fields.
    @Test func whatIsWrittenByHandIsWhatTheListSays() throws {
        let time = "2026-07-31T09:30:00.000Z"
        let send = #"""
            {"instance":"o","event":"e","seq":8,"fromSeq":7,"from":["a"],"to":["b"],"status":"running",
            "configuration":["b"],"tags":["t"],"context":{"x":1},"output":2,"exited":["a"],"entered":["b"],
            "dryRun":true,"begun":[{"id":"i","queue":"task:q"}],"cancelled":["c"],"candidates":[],
            "reset":{"to":1,"timers":[],"invocations":[]},"migration":{"from":1,"to":2,"kept":[],"new":[],"ended":[],
            "cancelled":[],"forgotten":[],"undeclared":[]}}
            """#.replacing("\n", with: "")
        try expectOneForm(of: SendAnswer.self, send)
        try expectOneForm(
            of: BatchAnswer.self,
            #"{"line":1,"status":200,"repeated":true,"answer":\#(send),"error":{"type":"misfit","title":"#
                + #""Instance does not fit the version","status":422,"detail":"d"}}"#)
        try expectOneForm(
            of: TaskItem.self,
            #"{"task":"t","instance":"o","id":"i","attempt":1,"key":"k","input":{},"#
                + #""progress":1,"leasedUntil":"\#(time)","#
                + #""deadline":"\#(time)","traceparent":"00"}"#)
        try expectOneForm(
            of: Instance.self,
            #"{"instance":"o","machine":"m","version":1,"status":"failed","#
                + #""configuration":["a"],"tags":[],"context":{},"#
                + #""output":1,"failure":{"event":"e","type":"livelock","detail":"d","seq":1,"#
                + #""at":"\#(time)","message":"m"},"#
                + #""suspended":{"at":"\#(time)"},"machineSuspended":{"machine":"m","at":"\#(time)"},"redacted":true,"#
                + #""waitsFor":[],"timerSkipped":{"event":"e","at":"\#(time)","lateMilliseconds":1,"#
                + #""accepted":[]},"seq":1,"#
                + #""enteredAt":"\#(time)","inState":1,"createdAt":"\#(time)","updatedAt":"\#(time)"}"#)
    }

    private func expectOneForm<Record: WireRecord>(of type: Record.Type, _ text: String) throws {
        let record = try Record(body: text.utf8)
        var listed = JSONWriter()
        listed.object { record.writeFields(to: &$0) }
        #expect(JSONWriter.string(record) == text)
        #expect(String(decoding: listed.bytes, as: UTF8.self) == text)
    }
}
