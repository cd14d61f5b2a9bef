import WorkflowAPI
import WorkflowJSON

/// The API as an OpenAPI 3.1 document, made from the table of routes, the types in it, their comments, and the requests
/// on the page `docs/api.md`.
///
/// OpenAPI 3.1 cannot describe the lines or events of a text: `x-itemSchema` names their schema.
struct OpenAPIDocument {
    private let book: SchemaBook
    private let examples: [Route: RouteExample]

    /// Creates a document with comments and examples.
    init(comments: SourceComments, examples: [Route: RouteExample]) {
        book = SchemaBook(prefix: "#/components/schemas/", comments: comments)
        self.examples = examples
    }

    /// The document; all its references lead into it.
    var object: JSONObject {
        var paths = JSONObject()
        for route in Route.all {
            let path = route.template.description
            var methods = paths[path]?.object ?? [:]
            methods[route.method.rawValue.lowercased()] = .object(operation(route))
            paths[path] = .object(methods)
        }
        // Every problem answer refers to this schema.
        _ = book.schema(of: Problem.self)
        var schemas = JSONObject()
        for (name, schema) in book.schemas { schemas[name] = .object(schema) }
        return [
            "openapi": "3.1.0", "paths": .object(paths),
            "info": ["title": "wfd", "version": .string(Release.version), "description": .string(Self.conventions)],
            "components": [
                "schemas": .object(schemas), "responses": .object(Self.commonResponses),
                "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    private static let conventions = """
        Times are RFC 3339 in UTC with milliseconds, as in `2026-07-31T09:30:00.000Z`. Integers lie within \
        ±9007199254740991; `data` and `context` take all of 64 bits. Paths of states are names joined by dots. A `seq` is \
        the number of a macrostep in the history of its instance, counted from 1. Names in a path are percent-encoded.

        In a request, null stands for a missing field that is not required, but not for a boolean. An absent boolean is \
        false unless its description says otherwise. A request with an unknown field is refused.

        Over TCP a request needs a token, unless its permission is `health`. `x-permission` is the permission that the \
        caller's roles must have. A unix socket needs no token. The header `Wfd-On-Behalf-Of` names the person for whom a \
        token that `speaksFor` asks.

        In a body of lines, and in a stream of events, `x-itemSchema` is the schema of each line or event.
        """

    private func operation(_ route: Route) -> JSONObject {
        var operation: JSONObject = [
            "operationId": .string(route.name), "parameters": .array(parameters(route)),
            "responses": .object(responses(route)),
            "security": route.permission == .health ? [] : [["token": []]],
            "x-permission": .string(route.permission.rawValue),
        ]
        operation["summary"] = book.comments.text(of: "Route", field: route.name).map { .string($0) }
        if var content = content(route.body) {
            if let example = examples[route] { example.addRequest(to: &content) }
            // A null result needs no body, nor does a heartbeat without progress.
            let isRequired = if case .value = route.body { false } else { route != .prolongTask }
            operation["requestBody"] = ["content": .object(content), "required": .bool(isRequired)]
        }
        return operation
    }

    private func parameters(_ route: Route) -> [JSONValue] {
        let query = book.comments.query(of: route)
        func parameter(
            _ name: String, _ place: String, _ text: String?, _ schema: JSONObject = ["type": "string"]
        ) -> JSONValue {
            let isRequired = place == "path" || (name == "reason" && place == "query") || name == "outcome"
            var parameter: JSONObject = [
                "name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": .object(schema),
            ]
            parameter["description"] = text.map { .string($0) }
            return .object(parameter)
        }
        var parameters = route.template.parameters.map { parameter($0, "path", nil) }
        parameters += (route.query ?? []).map { name in
            let text = query.flatMap { book.comments.text(of: $0, field: name) }
            return parameter(name, "query", text ?? book.comments.text(of: "PageParameters", field: name))
        }
        if route.problems.contains(.keyAhead) {
            let text = "A key: the same request with the same key is carried out once. It has \(IdempotencyKey.rule)."
            parameters.append(parameter(IdempotencyKey.header, "header", text))
        }
        if route == .sendEvent {
            parameters += [
                parameter(
                    "If-Match", "header", "The seq that the instance must have, in quotes.",
                    ["type": "string", "pattern": "^\"[0-9]+\"$"]),
                parameter(
                    "Prefer", "header", "With `return=minimal`, the answer has no context (RFC 7240).",
                    ["type": "string", "examples": ["return=minimal"]]),
            ]
        }
        return parameters
    }

    private func content(_ body: Route.Body) -> JSONObject? {
        switch body {
        case .none: return nil
        case .object(let form), .value(let form): return ["application/json": ["schema": .object(schema(form))]]
        case .lines(let form): return items(schema(form), LineStream.mediaType)
        case .objectOrLines(let first, let others):
            let (first, others) = (schema(first), schema(others))
            var content = items(["anyOf": [.object(first), .object(others)]], LineStream.mediaType)
            content["application/json"] = ["schema": .object(first)]
            return content
        case .definition:
            var content = JSONObject()
            for type in DefinitionMediaType.allCases { content[type.rawValue] = ["schema": [:]] }
            return content
        }
    }

    private func responses(_ route: Route) -> JSONObject {
        var responses = JSONObject()
        switch route.answer {
        case .object(let form):
            // The status is 201 if something new was created, else 200.
            responses["2XX"] = Self.response(form.text, ["application/json": ["schema": .object(schema(form))]])
        case .lines(let form): responses["200"] = Self.response(form.text, items(schema(form), LineStream.mediaType))
        case .events(let form): responses["200"] = Self.response(form.text, items(schema(form), EventStream.mediaType))
        case .bytes(let form): responses["200"] = Self.response(form, ["*/*": ["schema": [:]]])
        case .nothing: responses["204"] = ["description": "Done"]
        }
        let own = Dictionary(grouping: route.problems, by: \.status)
        for (status, types) in Dictionary(grouping: route.problems + Route.commonProblems, by: \.status) {
            responses[String(status)] =
                own[status] == nil
                ? ["$ref": .string("#/components/responses/\(Self.commonName(status))")] : Self.problem(types)
        }
        examples[route]?.addAnswer(to: &responses)
        return responses
    }

    /// The responses that any route may have, so that they are not repeated 70 times.
    private static var commonResponses: JSONObject {
        var responses = JSONObject()
        for (status, types) in Dictionary(grouping: Route.commonProblems, by: \.status) {
            responses[commonName(status)] = problem(types)
        }
        return responses
    }

    private static func commonName(_ status: Int) -> String { "Common\(status)" }

    private static func problem(_ types: [ProblemType]) -> JSONValue {
        let names = types.map(\.rawValue).joined(separator: ", ")
        return response(names, [Problem.mediaType: ["schema": ["$ref": "#/components/schemas/Problem"]]])
    }

    private static func response(_ description: String, _ content: JSONObject) -> JSONValue {
        ["description": .string(description), "content": .object(content)]
    }

    private func schema(_ form: Route.Form) -> JSONObject { form.type.map { book.schema(of: $0) } ?? [:] }

    private func items(_ schema: JSONObject, _ mediaType: String) -> JSONObject {
        [mediaType: ["schema": ["type": "string", "x-itemSchema": .object(schema)]]]
    }
}
