import Foundation
import ManualTesting
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests the API's description, which is made from the table of routes, the lists of fields and their comments.
struct OpenAPITests {
    private static let comments = Result {
        try SourceComments(folders: ["Sources/WorkflowAPI", "Sources/WorkflowRules"])
    }
    private static let document = comments.map { OpenAPIDocument(comments: $0, examples: RouteExample.all).object }

    /// `docs/openapi.json` is written here, and the daemon answers it. If it differs, the expected text is in
    /// `.build/openapi.json`.
    @Test func theDocumentIsThatOfTheTable() throws {
        let text = FittedJSON.text(of: .object(try Self.document.get())) + "\n"
        if try String(contentsOf: ManualPage.root.appending(path: "docs/openapi.json"), encoding: .utf8) != text {
            try Data(text.utf8).write(to: ManualPage.root.appending(path: ".build/openapi.json"))
            Issue.record("docs/openapi.json is not what the source says; copy .build/openapi.json")
        }
    }

    @Test func aRouteIsNamedAsItIsInTheTable() throws {
        let table = try String(
            contentsOf: ManualPage.root.appending(path: "Sources/WorkflowAPI/Routes/RouteTable.swift"), encoding: .utf8)
        let names = table.matches(of: /static let (\w+) = Route\(\s*"(\w+)"/)
        #expect(names.allSatisfy { $0.1 == $0.2 })
        #expect(Set(names.map { String($0.2) }) == Set(Route.all.map(\.name)))
        #expect(names.count == Route.all.count)
    }

    @Test func everyReferenceLeadsToASchema() throws {
        let document = try Self.document.get()
        let named = Set(
            JSONWriter.string(document).matches(of: /"#\/components\/schemas\/(\w+)"/).map { String($0.1) })
        let schemas = document["components"]?.object?["schemas"]?.object?.keys ?? []
        #expect(named.count > 90 && named.isSubset(of: schemas))
    }

    @Test func everyFieldIsDescribedUnlessItsNameSaysAll() throws {
        let plain: Set<String> = [
            "column", "done", "event", "instance", "instances", "items", "machine", "machines", "message", "reason",
            "status", "timers", "title", "total", "version",
        ]
        for schema in try Self.document.get()["components"]?.object?["schemas"]?.object?.members ?? [] {
            #expect(schema.value.object?["description"] != nil, "\(schema.key)")
            let choices =
                if case .array(let choices)? = schema.value.object?["oneOf"] { choices } else { [schema.value] }
            for field in choices.flatMap({ $0.object?["properties"]?.object?.members ?? [] }) {
                let field = (name: field.key, schema: field.value.object)
                // The target of a reference has a description of its own.
                let isDescribed = field.schema?["description"] != nil || field.schema?["$ref"] != nil
                #expect(isDescribed || plain.contains(field.name), "\(schema.key).\(field.name)")
            }
        }
    }

    @Test func theDescriptionsNameNothingOfSwift() throws {
        let document = try Self.document.get()
        let schemas = document["components"]?.object?["schemas"]?.object?.keys ?? []
        let text = JSONWriter.string(document)
        // Types, such as `SetRequest`, and their properties, such as `Problem.misfits`.
        let types = text.matches(of: /`(?:([A-Z][a-z]+[A-Z]\w*)|([A-Z][a-z]+)\.\w+)`/).map { $0.1 ?? $0.2 ?? "" }
        #expect(types.contains("Problem") && Set(types.map { String($0) }).isSubset(of: schemas))
        #expect(!text.contains("`nil`"))
    }

    @Test func everyOperationHasASummaryAndTheExamplesOfItsPage() throws {
        for path in try Self.document.get()["paths"]?.object?.members ?? [] {
            for operation in path.value.object?.members.compactMap(\.value.object) ?? [] {
                let name = operation["operationId"]?.string ?? path.key
                #expect(operation["summary"] != nil, "\(name)")
                for query in parameters(of: operation) where query["in"] == "query" {
                    #expect(query["description"] != nil, "\(name): \(query["name"]?.string ?? "")")
                }
                if let body = operation["requestBody"]?.object { #expect(hasExample(body), "\(name)") }
                let answers = operation["responses"]?.object?.members.compactMap(\.value.object) ?? []
                // Streams, and answers that are empty, or a page of their own.
                let without = ["streamAll", "streamInstance", "completeTask", "failTask", "metrics", "openAPI"]
                #expect(answers.contains(where: hasExample) != without.contains(name), "\(name)")
            }
        }
    }

    private func parameters(of operation: JSONObject) -> [JSONObject] {
        if case .array(let parameters)? = operation["parameters"] { parameters.compactMap(\.object) } else { [] }
    }

    private func hasExample(_ part: JSONObject) -> Bool {
        part["content"]?.object?.members.contains { $0.value.object?["example"] != nil } ?? false
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

    @Test func fieldsGiveTheirTypesBoundsAndWords() throws {
        let book = SchemaBook(prefix: "#/$defs/", comments: try Self.comments.get())
        #expect(book.schema(of: UndoRequest.self) == ["$ref": "#/$defs/UndoRequest"])
        #expect(book.schema(of: Page<EventItem>.self) == ["$ref": "#/$defs/PageOfEventItem"])
        let reason: JSONValue = [
            "type": "string", "minLength": 1, "maxLength": 1000,
            "description": "The reason for the history. 1 to 1000 bytes of UTF-8.",
        ]
        let request = book.schemas["UndoRequest"]
        #expect(request?["description"] == "The body of `POST /v1/instances/NAME/undo`.")
        #expect(request?["required"] == ["reason"])
        let fields = request?["properties"]?.object
        #expect(fields?.keys == ["dryRun", "invocations", "reason", "seq"] && fields?["reason"] == reason)
        #expect(fields?["invocations"]?.object?["$ref"] == "#/$defs/ResetRequestInvocations")
        #expect(book.schemas["ResetRequestInvocations"]?["enum"] == ["again", "answer"])
        #expect(
            book.schemas["PageOfEventItem"]?["properties"]?.object?["items"]
                == ["type": "array", "items": ["$ref": "#/$defs/EventItem"]])
        #expect(
            book.schemas["EventItem"]?["properties"]?.object?["accepted"]?.object?["anyOf"]
                == [["type": "boolean"], ["type": "null"]])
    }

    @Test func fieldsOfAnotherRecordStandAmongThese() {
        let book = SchemaBook(prefix: "")
        _ = book.schema(of: AttemptItem.self)
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
