public import WorkflowJSON

/// The API as an OpenAPI 3.1 document, made from the table of routes and the types in it.
///
/// OpenAPI 3.1 cannot describe the lines or events of a text: `x-itemSchema` names their schema.
public enum OpenAPIDocument {
    /// The document; all its references lead into it.
    public static let object: JSONObject = {
        var book = SchemaBook(prefix: "#/components/schemas/")
        var paths = JSONObject()
        for route in Route.all {
            let path = route.template.description
            var methods = paths[path]?.object ?? [:]
            methods[route.method.rawValue.lowercased()] = .object(operation(route, &book))
            paths[path] = .object(methods)
        }
        // Every problem answer refers to this schema.
        _ = Problem.schema(in: &book)
        var schemas = JSONObject()
        for (name, schema) in book.schemas { schemas[name] = .object(schema) }
        return [
            "openapi": "3.1.0", "paths": .object(paths),
            "info": [
                "title": "wfd", "version": .string(Release.version),
                "description":
                    "In a request, null stands for a missing field that is not required, but not for a boolean.",
            ],
            "components": ["schemas": .object(schemas)],
        ]
    }()

    private static func operation(_ route: Route, _ book: inout SchemaBook) -> JSONObject {
        var operation: JSONObject = [
            "operationId": .string(route.name), "parameters": .array(parameters(route)),
            "responses": .object(responses(route, &book)), "x-permission": .string(route.permission.rawValue),
        ]
        if let content = content(route.body, &book) {
            // A null result needs no body.
            let isRequired = if case .value = route.body { false } else { true }
            operation["requestBody"] = ["content": .object(content), "required": .bool(isRequired)]
        }
        return operation
    }

    private static func parameters(_ route: Route) -> [JSONValue] {
        func parameter(_ name: String, _ place: String, _ schema: JSONObject = ["type": "string"]) -> JSONValue {
            let isRequired = place == "path" || (name == "reason" && place == "query") || name == "outcome"
            return [
                "name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": .object(schema),
            ]
        }
        var parameters = route.template.parameters.map { parameter($0, "path") }
        parameters += (route.query ?? []).map { parameter($0, "query") }
        if route.problems.contains(.keyAhead) { parameters.append(parameter(IdempotencyKey.header, "header")) }
        if route == .sendEvent {
            parameters.append(parameter("If-Match", "header", ["type": "string", "pattern": "^\"[0-9]+\"$"]))
            parameters.append(parameter("Prefer", "header", ["type": "string", "examples": ["return=minimal"]]))
        }
        return parameters
    }

    private static func content(_ body: Route.Body, _ book: inout SchemaBook) -> JSONObject? {
        switch body {
        case .none: return nil
        case .object(let form), .value(let form): return ["application/json": ["schema": .object(schema(form, &book))]]
        case .lines(let form): return items(schema(form, &book), LineStream.mediaType)
        case .objectOrLines(let first, let others):
            let (first, others) = (schema(first, &book), schema(others, &book))
            var content = items(["anyOf": [.object(first), .object(others)]], LineStream.mediaType)
            content["application/json"] = ["schema": .object(first)]
            return content
        case .definition:
            var content = JSONObject()
            for type in DefinitionMediaType.allCases { content[type.rawValue] = ["schema": [:]] }
            return content
        }
    }

    private static func responses(_ route: Route, _ book: inout SchemaBook) -> JSONObject {
        var responses = JSONObject()
        switch route.answer {
        case .object(let form):
            // The status is 201 if something new was created, else 200.
            responses["2XX"] = response(form.text, ["application/json": ["schema": .object(schema(form, &book))]])
        case .lines(let form): responses["200"] = response(form.text, items(schema(form, &book), LineStream.mediaType))
        case .events(let form):
            responses["200"] = response(form.text, items(schema(form, &book), EventStream.mediaType))
        case .bytes(let form): responses["200"] = response(form, ["*/*": ["schema": [:]]])
        case .nothing: responses["204"] = ["description": "Done"]
        }
        let problems = Dictionary(grouping: route.problems + Route.commonProblems, by: \.status)
        for (status, types) in problems {
            let names = types.map(\.rawValue).joined(separator: ", ")
            let content: JSONObject = [Problem.mediaType: ["schema": ["$ref": "#/components/schemas/Problem"]]]
            responses[String(status)] = response(names, content)
        }
        return responses
    }

    private static func response(_ description: String, _ content: JSONObject) -> JSONValue {
        ["description": .string(description), "content": .object(content)]
    }

    private static func schema(_ form: Route.Form, _ book: inout SchemaBook) -> JSONObject {
        form.type?.schema(in: &book) ?? [:]
    }

    private static func items(_ schema: JSONObject, _ mediaType: String) -> JSONObject {
        [mediaType: ["schema": ["type": "string", "x-itemSchema": .object(schema)]]]
    }
}
