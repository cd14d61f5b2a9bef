import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

extension RoutedRequest {
    /// The head of the request.
    var head: HTTPRequest { request.head }

    /// The parameters of the query, percent-decoded, in their order.
    var queryItems: [(name: String, value: String)] {
        get throws(Problem) {
            guard let items = FormText.items(of: request.uri.query ?? "") else {
                throw Problem(.invalidParameter, detail: "The query is not percent-encoded text")
            }
            return items
        }
    }

    /// Returns the whole body. A body larger than `APILimits.bodyBytes` is refused, without being read if its length is
    /// announced.
    func wholeBody() async throws -> ByteBuffer {
        if head.announcesTooMuch { throw Self.tooLarge }
        do {
            let body = try await request.body.collect(upTo: APILimits.bodyBytes)
            try requireAdmission()
            return body
        } catch let problem as Problem {
            throw problem
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        } catch let refusal as BodyRefusal {
            throw refusal.problem
        } catch {
            throw Problem(.invalidRequest, detail: "The body cannot be read to its end")
        }
    }

    private static var tooLarge: Problem {
        Problem(.payloadTooLarge, detail: "The body is larger than \(APILimits.bodyBytes) bytes")
    }

    /// Reads the body as one wire object; the media type must be JSON.
    func object<Body: WireObject>(as type: Body.Type = Body.self) async throws -> Body {
        try head.requireJSON()
        return try Body(whole: try await wholeBody())
    }

    /// Reads the body as a definition: its text, and the syntax that its media type names.
    func definition() async throws -> (source: String, syntax: DefinitionSyntax) {
        let syntax: DefinitionSyntax
        switch head.mediaTypeName {
        case "application/json": syntax = .json
        case "application/yaml", "application/x-yaml", "text/yaml": syntax = .yaml
        default: throw head.unsupportedMediaType(expected: "application/yaml or application/json")
        }
        guard let source = String(validating: try await wholeBody().readableBytesView, as: UTF8.self) else {
            throw Problem(.invalidRequest, detail: "The definition is not UTF-8 text")
        }
        return (source, syntax)
    }
}

/// Runs a body that reads wire types, and turns errors into problems.
func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as WireError {
        throw Problem(error)
    }
}

/// Runs a call of the engine, and turns rejections into problems.
func asking<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let rejection as Rejection {
        throw Problem(rejection)
    }
}
