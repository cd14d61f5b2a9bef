import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests definitions and starts that are refused, over HTTP: status, type and text of each answer.
@Suite struct BadMachineTests {
    @Test(.timeLimit(.minutes(20))) func everyMistakeOfADefinitionIsToldWithItsPlace() async throws {
        func definition(
            _ text: String, as type: String = "application/yaml", _ detail: String, _ diagnostics: [JSONValue]
        ) -> BadRequest {
            BadRequest(
                .post("/v1/machines", text, as: type), .invalidDefinition, detail,
                ["diagnostics": .array(diagnostics)])
        }
        let one = "The definition has a mistake"
        try await BadRequestStage().expect([
            definition(
                "id: m\ninitial: a\nstates:\n  a: {on: {go: c}}\n  b: {}\n  c2: {entri: []}\n",
                "The definition has 2 mistakes",
                [
                    Self.error(4, 16, "target 'c' does not exist; did you mean 'c2'?"),
                    Self.error(6, 8, "unknown key 'entri' in state 'c2'; did you mean 'entry'?"),
                ]),
            definition("", one, [Self.error(1, 1, "the definition is empty")]),
            definition("just text", one, [Self.error(1, 1, "a definition must be a map, not a string")]),
            definition(
                #"{"id": "m","#, as: "application/json", one,
                [
                    Self.error(
                        1, 12, "not valid JSON: expected a key in double quotes, found the end of the text")
                ]),
            definition(
                "id: m\nid: n\ninitial: a\nstates: {a: {}}\n", one,
                [Self.error(2, 1, "the key 'id' stands twice, first on line 1")]),
            definition(
                "id: m\ninitial: a\nstates:\n  a: {on: {go: {actions: {emit: flash}}}}\n", one,
                [
                    Self.error(
                        4, 27,
                        "'emit' works only in a StateMachine of the Swift library, whose observers hear it: a history "
                            + "cannot keep outputs yet; remove it, or request an effect with 'call'")
                ]),
        ])
    }

    private static func error(_ line: Int64, _ column: Int64, _ message: String) -> JSONValue {
        ["severity": "error", "line": .int(line), "column": .int(column), "message": .string(message)]
    }

    @Test(.timeLimit(.minutes(20))) func textThatIsNotUTF8IsNoDefinition() async throws {
        let request = RawRequest(
            "POST", "/v1/machines", headers: [("Content-Type", "application/yaml")], body: [0x69, 0x64, 0x3A, 0xFF])
        try await BadRequestStage().expect([
            BadRequest(request, .invalidRequest, "The definition is not UTF-8 text")
        ])
    }

    @Test(.timeLimit(.minutes(20))) func aMachineOrVersionThatIsNotThereIsNamed() async throws {
        let missing = "Machine 'order' has no version 7 (latest is 1)"
        try await BadRequestStage().expect([
            .start(
                #"{"machine": "ordre"}"#, .machineNotFound, "There is no machine 'ordre'",
                ["machine": "ordre", "suggestion": "order"]),
            .start(#"{"machine": "order", "version": 7}"#, .machineNotFound, missing, ["machine": "order"]),
            .start(#"{"machine": "zzz", "version": 7}"#, .machineNotFound, "There is no machine 'zzz'"),
            .get("/v1/machines/ordre", .machineNotFound, "There is no machine 'ordre'", ["suggestion": "order"]),
            .get("/v1/machines/order/versions/7", .machineNotFound, missing),
            .get("/v1/machines/order/versions/0", .invalidRequest, "'0' is no version; versions are 1, 2, …"),
            .get("/v1/machines/order/versions/01", .invalidRequest, "'01' is no version; versions are 1, 2, …"),
            .get("/v1/machines/order/versions/+1", .invalidRequest, "'+1' is no version; versions are 1, 2, …"),
            .get("/v1/machines/order/versions/last", .invalidRequest, "'last' is no version; versions are 1, 2, …"),
        ])
    }

    @Test(.timeLimit(.minutes(20))) func anInstancesNameMustBeValidAndFree() async throws {
        let rule = "is no instance name: 1 to 200 characters of A-Z a-z 0-9 _ . : @ -"
        let long = String(repeating: "n", count: 201)
        let names = ["", "a b", "a/b", "a~b", "é", "\\u0000"].map { name in
            BadRequest.start(
                #"{"machine": "order", "instance": "\#(name)"}"#, .invalidName,
                "'\(name == "\\u0000" ? "\0" : name)' \(rule)")
        }
        let steps = [".", ".."].map { name in
            BadRequest.start(
                #"{"machine": "order", "instance": "\#(name)"}"#, .invalidName,
                "'\(name)' is no instance name: in the path of a URL, '.' and '..' are steps")
        }
        try await BadRequestStage().expect(
            names + steps + [
                .start(
                    #"{"machine": "order", "instance": "\#(long)"}"#, .invalidName, "'\(long.prefix(40))…' \(rule)"),
                .start(
                    #"{"machine": "order", "instance": "order-1"}"#, .instanceExists,
                    "Instance 'order-1' exists already"),
            ])
    }

    @Test(.timeLimit(.minutes(20))) func aStartThatCannotBeIsRefusedAndLeavesNoInstance() async throws {
        let known = "(known here: machine, version, instance, data)"
        try await BadRequestStage().expect([
            .start(
                #"{"machine": "order", "data": {"amount": 1}}"#, .invalidData,
                "The context of 'order' has no key 'amount'; it has no keys"),
            .start(
                #"{"machine": "traps", "data": {"amount": 1}}"#, .invalidData,
                "The context of 'traps' has no key 'amount'; its keys are label, share"),
            .start(
                #"{"machine": "order", "data": []}"#, .invalidRequest, "Field 'data' must be a map, not a list"),
            .start(
                #"{"machine": "order", "instanse": "x"}"#, .invalidRequest,
                "Unknown field 'instanse' \(known); did you mean 'instance'?"),
            .start(#"{"instance": "x"}"#, .invalidRequest, "Field 'machine' is missing"),
            .start(
                #"{"machine": "order", "version": "1"}"#, .invalidRequest,
                "Field 'version' must be an int, not a string"),
            .start(
                #"{"machine": "whirl", "instance": "w"}"#, .livelock,
                "'init' was undone: machine 'whirl' did not settle within 1000 steps; these states went round: 'round'"),
        ])
    }
}
