import Foundation
import HTTPTypes
import NIOCore
import WorkflowAPI
import WorkflowJSON
import WorkflowStore

// Reads the head of a request, and a body that is complete.

extension HTTPRequest {
    /// True if the caller holds its body back until it is told to continue (RFC 9110, 10.1.1), or for a second.
    var waitsToContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }

    /// True if the announced body is larger than any body that wfd accepts. A length of more than 64 bits is too large.
    var announcesTooMuch: Bool {
        guard let text = headerFields[.contentLength], !text.isEmpty, text.utf8.allSatisfy(isDigit)
        else { return false }
        return Int(text).map { $0 > APILimits.bodyBytes } ?? true
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The media type without its parameters, in lower case; empty if there is none.
    var mediaTypeName: String {
        let value = headerFields[.contentType] ?? ""
        // Nearly all requests have this value, which needs no parsing.
        if value == "application/json" { return value }
        return value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Refuses a body whose media type is not JSON.
    func requireJSON() throws(Problem) {
        guard mediaTypeName == "application/json" else { throw unsupportedMediaType(expected: "application/json") }
    }

    /// Returns the refusal of a body of another media type.
    func unsupportedMediaType(expected: String) -> Problem {
        let found = mediaTypeName.isEmpty ? "no Content-Type" : "Content-Type '\(mediaTypeName)'"
        return Problem(
            .unsupportedMediaType, detail: "The request has \(found); this route takes \(expected)")
    }

    /// True if the caller prefers an answer without the parts that it does not need (RFC 7240, 4.2).
    var prefersMinimal: Bool {
        headerFields[.prefer].map { Preferences($0).isMinimal } ?? false
    }

    /// Returns the caller's key, bare or as a string of structured fields (draft-ietf-httpapi-idempotency-key-header).
    func idempotencyKey() throws(Problem) -> RequestKey? {
        guard let header = headerFields[.idempotencyKey] else { return nil }
        // Several fields arrive as one, joined by commas.
        if header.contains(","), headerFields[values: .idempotencyKey].count > 1 {
            throw Problem(.invalidRequest, detail: "The header \(IdempotencyKey.header) is there more than once")
        }
        var text = header
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = String(text.dropFirst().dropLast()) }
        guard let key = RequestKey(text: text) else {
            throw Problem(
                .invalidRequest, detail: "The header \(IdempotencyKey.header) is no key: \(IdempotencyKey.rule)")
        }
        return key
    }

    /// Refuses a key on a route that would ignore it.
    func refuseIdempotencyKey() throws(Problem) {
        guard headerFields[.idempotencyKey] != nil else { return }
        throw Problem(
            .invalidRequest,
            detail: "\(IdempotencyKey.header) is for starts, events, and what is done to instances and effects")
    }
}

extension WireObject {
    /// Parses a complete body.
    init(whole body: ByteBuffer) throws {
        self = try body.withUnsafeReadableBytes { bytes throws in
            do throws(WireError) {
                return try Self(body: bytes)
            } catch {
                throw Self.numberProblem(in: bytes) ?? Problem(error)
            }
        }
    }

    /// Returns the refusal of JSON with a number that fits neither an integer nor a double; `nil` for every other
    /// mistake.
    private static func numberProblem(in bytes: UnsafeRawBufferPointer) -> Problem? {
        do throws(JSONError) {
            _ = try JSONReader.value(from: bytes)
            return nil
        } catch {
            guard error.code == .number else { return nil }
            return Problem(.invalidData, detail: "The body holds a number that cannot be kept: \(error)")
        }
    }
}

extension HTTPField.Name {
    /// The header with the caller's key.
    static let idempotencyKey = known(IdempotencyKey.header)
    /// The header that marks an answer as given before.
    static let idempotentReplayed = known(IdempotencyKey.repeatedHeader)

    /// The header with the caller's preferences (RFC 7240).
    static let prefer = known("Prefer")
    /// The header with the preferences that were applied.
    static let preferenceApplied = known("Preference-Applied")

    /// Creates the name of a header field from a constant.
    static func known(_ text: String) -> HTTPField.Name {
        // Proof: the names are constants of ours.
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is a field name") }
        return name
    }
}
