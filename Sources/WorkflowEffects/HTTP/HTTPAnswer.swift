import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WorkflowEngine
import WorkflowJSON

/// The answer of a service, as a machine receives it.
struct HTTPAnswer {
    private let status: Int
    private let answered: HTTPHeaders
    private let bytes: [UInt8]
    private let call: SignedCall
    private let mask: SecretMask

    init(_ response: HTTPClientResponse, body: [UInt8], of call: SignedCall) {
        status = Int(response.status.code)
        answered = response.headers
        self.call = call
        mask = call.mask
        bytes = mask.masked(body)
    }

    var outcome: AttemptOutcome {
        var facts: JSONObject = ["headers": headers, "status": .int(Int64(status))]
        let isDone = (200..<300).contains(status)
        do throws(JSONError) {
            facts["body"] = try body(orText: !isDone)
        } catch {
            return .failed(
                TaskFailure(
                    type: "invalid-output", message: "the answer says that it is JSON and is not: \(error.description)",
                    facts: facts, canRetry: false))
        }
        if isDone { return .done(.object(facts)) }
        return .failed(
            TaskFailure(
                type: "http-status", message: "the answer was \(status)", facts: facts, canRetry: isPassing,
                retryAfter: isPassing ? retryAfter : nil))
    }

    /// True if the same request may get another answer later.
    private var isPassing: Bool { [408, 425, 429].contains(status) || status >= 500 }

    private var headers: JSONValue {
        let usual = ["content-type", "etag", "location", "last-modified", "retry-after"]
        var headers = JSONObject()
        for name in Set(usual + call.call.keptHeaders) {
            let values = answered[name]
            if !values.isEmpty { headers[name] = .string(mask.masked(values.joined(separator: ", "))) }
        }
        return .object(headers)
    }

    /// Returns the body: JSON if the answer's type says so, else text if it is readable, else base64.
    private func body(orText isLenient: Bool) throws(JSONError) -> JSONValue {
        let type = answered.first(name: "content-type")?.prefix { $0 != ";" }
            .trimmingCharacters(in: .whitespaces).lowercased()
        if bytes.isEmpty { return .null }
        if let type, type == "application/json" || type.hasSuffix("+json") {
            do throws(JSONError) {
                return mask.masked(try JSONReader.value(from: bytes))
            } catch {
                guard isLenient else { throw error }
            }
        }
        if let text = String(validating: bytes, as: UTF8.self) { return .string(mask.masked(text)) }
        return .string(Data(bytes).base64EncodedString())
    }

    /// The number of milliseconds until the service accepts a retry, at most an hour.
    private var retryAfter: Int64? {
        guard let text = answered.first(name: "retry-after")?.trimmingCharacters(in: .whitespaces) else { return nil }
        let hour: Int64 = 3_600_000
        if let seconds = Int64(text) {
            return seconds < 0
                ? nil : min(hour, seconds.multipliedReportingOverflow(by: 1_000).overflow ? hour : seconds * 1_000)
        }
        // The date is relative to the service's own clock.
        guard let date = Self.date(text), let now = answered.first(name: "date").flatMap(Self.date) else { return nil }
        return Int64(min(Double(hour), max(0, date.timeIntervalSince(now) * 1_000)))
    }

    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}

// MARK: Failures

extension TaskFailure {
    /// Creates a failure after which a retry makes no sense.
    static func final(_ type: String, _ message: String) -> TaskFailure {
        TaskFailure(type: type, message: message, canRetry: false)
    }

    static func again(_ type: String, _ message: String) -> TaskFailure { TaskFailure(type: type, message: message) }

    /// Classifies an error of the client.
    init(calling host: String, at address: IPAddress, _ error: any Error, mask: SecretMask) {
        let place = "'\(host)' (\(address))"
        switch error {
        case let error as NIOConnectionError:
            let reason = error.connectionErrors.first.map { "\($0.error)" } ?? "no address"
            self = .again("connect", "no connection to \(place): \(reason)")
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            self = .again("connect", "no connection to \(place): nobody listens there")
        case let error as IOError:
            self = .again("connect", "the connection to \(place) failed: \(String(cString: strerror(error.errnoCode)))")
        case is ChannelError: self = .again("connect", "no connection to \(place) in time")
        case let error as NIOSSLExtraError:
            self = .again("tls", "\(place) is not trusted: \(mask.masked(error.description))")
        // The texts of these errors are for developers of the TLS library.
        case is NIOSSLError, is BoringSSLError:
            self = .again("tls", "TLS with \(place) failed: its certificate is not trusted, or it speaks no TLS")
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout, .getConnectionFromPoolTimeout:
                self = .again("connect", "no connection to \(place) in time")
            case .deadlineExceeded, .readTimeout, .writeTimeout:
                self = .again("timeout", "there was no answer from \(place) in time")
            case .remoteConnectionClosed, .uncleanShutdown:
                self = .again("connect", "\(place) closed the connection before its answer was whole")
            case .tlsHandshakeTimeout: self = .again("tls", "TLS with \(place) took too long")
            default: self = .final("invalid-request", "\(mask.masked(error.shortDescription))")
            }
        case HTTPParserError.invalidEOFState:
            self = .again("connect", "\(place) closed the connection before its answer was whole")
        case is HTTPParserError: self = .final("invalid-output", "the answer of \(place) is no HTTP")
        default: self = .again("connect", "the connection to \(place) failed: \(mask.masked("\(error)"))")
        }
    }
}

extension Error {
    /// True if there was no connection, so the service certainly received nothing.
    var isOfConnecting: Bool {
        switch self {
        case is NIOConnectionError, is ChannelError: true
        case let error as IOError: error.errnoCode == ECONNREFUSED
        case let error as HTTPClientError: [.connectTimeout, .getConnectionFromPoolTimeout].contains(error)
        default: false
        }
    }
}
