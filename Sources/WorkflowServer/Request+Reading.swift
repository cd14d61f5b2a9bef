import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

extension Request {
    /// The parameters of the query, percent-decoded, in their order.
    var queryItems: [(name: String, value: String)] {
        get throws(Problem) {
            guard let query = uri.query else { return [] }
            var items: [(name: String, value: String)] = []
            for part in query.split(separator: "&") {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let words = pair.compactMap { $0.replacing("+", with: "%20").removingPercentEncoding }
                guard words.count == pair.count, let name = words.first else {
                    throw Problem(.invalidParameter, detail: "The query is not percent-encoded text")
                }
                items.append((name, words.count > 1 ? words[1] : ""))
            }
            return items
        }
    }

    /// The whole body; a larger one than `APILimits.bodyBytes` is refused without being read.
    func wholeBody() async throws -> ByteBuffer {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > APILimits.bodyBytes {
            throw Self.tooLarge
        }
        do {
            return try await body.collect(upTo: APILimits.bodyBytes)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        }
    }

    private static var tooLarge: Problem {
        Problem(.payloadTooLarge, detail: "The body is larger than \(APILimits.bodyBytes) bytes")
    }

    /// The body as one wire object; the media type must say that it is JSON.
    func object<Body: WireObject>(as type: Body.Type = Body.self) async throws -> Body {
        guard mediaTypeName == "application/json" else {
            throw unsupportedMediaType(expected: "application/json")
        }
        let whole = try await wholeBody()
        return try whole.withUnsafeReadableBytes { bytes throws in
            do throws(WireError) {
                return try Body(body: bytes)
            } catch {
                throw Self.numberProblem(in: bytes) ?? Problem(error)
            }
        }
    }

    /// The refusal of JSON with a number that fits neither an integer nor a double; nil for every other mistake.
    private static func numberProblem(in bytes: UnsafeRawBufferPointer) -> Problem? {
        do throws(JSONError) {
            _ = try JSONReader.value(from: bytes)
            return nil
        } catch {
            guard error.code == .number else { return nil }
            return Problem(.invalidData, detail: "The body holds a number that cannot be kept: \(error)")
        }
    }

    /// The body as a definition: its text, and the syntax that its media type says.
    func definition() async throws -> (source: String, syntax: DefinitionSyntax) {
        let syntax: DefinitionSyntax
        switch mediaTypeName {
        case "application/json": syntax = .json
        case "application/yaml", "application/x-yaml", "text/yaml": syntax = .yaml
        default: throw unsupportedMediaType(expected: "application/yaml or application/json")
        }
        guard let source = String(validating: try await wholeBody().readableBytesView, as: UTF8.self) else {
            throw Problem(.invalidRequest, detail: "The definition is not UTF-8 text")
        }
        return (source, syntax)
    }

    /// The media type without its parameters, in lower case; empty when there is none.
    var mediaTypeName: String {
        let value = headers[.contentType] ?? ""
        // What nearly all requests say needs no taking apart.
        if value == "application/json" { return value }
        return value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The refusal of a body of another kind.
    func unsupportedMediaType(expected: String) -> Problem {
        let found = mediaTypeName.isEmpty ? "no Content-Type" : "Content-Type '\(mediaTypeName)'"
        return Problem(
            .unsupportedMediaType, detail: "The request has \(found); this route takes \(expected)")
    }

    /// The caller's key, bare or as a string of structured fields (draft-ietf-httpapi-idempotency-key-header).
    func idempotencyKey() throws(Problem) -> RequestKey? {
        guard let header = headers[.idempotencyKey] else { return nil }
        var text = header
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = String(text.dropFirst().dropLast()) }
        guard let key = RequestKey(text: text) else {
            throw Problem(
                .invalidRequest, detail: "The header \(IdempotencyKey.header) is no key: \(IdempotencyKey.rule)")
        }
        return key
    }

    /// Refuses a key where it would be ignored.
    func refuseIdempotencyKey() throws(Problem) {
        guard headers[.idempotencyKey] != nil else { return }
        throw Problem(.invalidRequest, detail: "\(IdempotencyKey.header) is for starts and events")
    }
}

extension RequestContext {
    /// A part of the path, percent-decoded.
    func pathParameter(_ name: String) throws(Problem) -> String {
        let written = parameters.get(name)
        if let written, !written.utf8.contains(UInt8(ascii: "%")) { return written }
        guard let text = written?.removingPercentEncoding else {
            throw Problem(.routeNotFound, detail: "The path is not percent-encoded text")
        }
        return text
    }
}

/// Runs a reading of wire types and turns its mistakes into problems.
func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as WireError {
        throw Problem(error)
    }
}

/// Runs a call of the engine and turns rejections into problems.
func asking<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let rejection as Rejection {
        throw Problem(rejection)
    }
}

extension HTTPField.Name {
    /// The caller's key.
    static let idempotencyKey = known(IdempotencyKey.header)
    /// Whether an answer was given before.
    static let idempotentReplayed = known(IdempotencyKey.repeatedHeader)

    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is a field name") }
        return name
    }
}
