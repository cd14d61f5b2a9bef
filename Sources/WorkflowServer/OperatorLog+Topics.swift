import HTTPTypes
import HummingbirdCore
import Logging
import WorkflowAPI
import WorkflowEngine

extension OperatorLog.Topic {
    /// Requests refused because of overload; their callers are asked to retry.
    static let overload = OperatorLog.Topic("requests that were refused because there was too much to do")
    /// Requests that found damaged data in the database.
    static let damage = OperatorLog.Topic("requests that found the database damaged")
    /// Connections closed because their callers do not read.
    static let unread = OperatorLog.Topic("connections that were cut off")
    /// Bodies of which some lines were refused and others not.
    static let lines = OperatorLog.Topic("batches of which some lines were refused")
}

extension OperatorLog {
    /// Logs a request that ends with a problem, if the problem concerns the operator.
    func tell(_ problem: Problem, _ request: HTTPRequest? = nil) {
        switch problem.type {
        case .internalError: fault(problem.detail, request)
        case .databaseDamaged:
            tell(.damage, .error, "a request found the database damaged", Self.reason(problem, request))
        case .overloaded:
            tell(
                .overload, .warning, "a request was refused, because there was too much to do",
                Self.reason(problem, request))
        default: break
        }
    }

    private static func reason(_ problem: Problem, _ request: HTTPRequest?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["reason": "\(problem.detail)"]
        if let request { metadata["route"] = "\(request.route)" }
        return metadata
    }

    /// Logs a connection that was closed because its caller took none of so many unread bytes.
    func tellCutOff(unread bytes: Int) {
        tell(
            .unread, .notice, "a connection was cut off, whose caller did not read its answer",
            ["bytes": "\(bytes)", "seconds": "\(AnswerLimits.stalledSeconds)"])
    }

    /// Logs a body of events that are applied all or not at all and could not be read.
    ///
    /// `bodyLine` counts the lines of the request; a client that sends a file in several requests counts differently.
    func tellRefusedBatch(_ problem: Problem) {
        var metadata: Logger.Metadata = ["reason": "\(problem.type.rawValue)"]
        if let line = problem.line { metadata["bodyLine"] = "\(line)" }
        tell(.batches, .notice, "a batch of events was refused, and none of them applied", metadata)
    }

    /// Logs the lines that were refused while other lines of their body were not.
    func tell(_ refused: RefusedLines) {
        guard let first = refused.first, let error = first.error else { return }
        var metadata: Logger.Metadata = [
            "lines": "\(refused.count)", "of": "\(refused.all)", "bodyLine": "\(first.line)",
            "reason": "\(error.type.rawValue)",
        ]
        if let instance = error.instance { metadata["instance"] = "\(instance)" }
        tell(.lines, .notice, "lines of a batch were refused", metadata)
    }

    /// Logs a fault of wfd.
    func fault(_ error: String, _ request: HTTPRequest? = nil) {
        var metadata = ["error": error]
        if let request { metadata["route"] = request.route }
        fault("a request failed", metadata.mapValues { "\($0)" })
    }
}

extension HTTPRequest {
    /// The method and path, for messages, without the query.
    var route: String { "\(method) \(URI(String((path ?? "").prefix(200))).path)" }
}
