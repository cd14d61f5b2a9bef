import Statechart
package import WorkflowJSON

/// How the last attempt of an invocation failed, as the data of its error event says it.
///
/// The type and the message are those of a service, a program or a worker, and may quote data: they are shown to
/// whoever may see the instance, and stand neither in metrics nor in the notes of rows. The
/// log has the type alone.
package struct InvocationError: Sendable, Hashable {
    /// The kind of failure of an instance that failed on one.
    package static let failureType = "invocation-failed"

    /// Bytes of the type, and of the message, at most; what is longer is cut.
    package static let longestText = 1_024

    /// `http-status`, `timeout`, `exit`, or a worker's own word.
    package let type: String
    /// The status of an answer over HTTP; nil where there was none.
    package let status: Int64?
    package let message: String

    /// Nil where the data tells of no error.
    package init?(_ data: JSONValue?) {
        guard let error = data?.object else { return nil }
        let (type, message) = (error["type"]?.string, error["message"]?.string)
        guard type != nil || message != nil else { return nil }
        self.type = (type ?? "failed").cut(toBytes: Self.longestText)
        self.message = (message ?? "").cut(toBytes: Self.longestText)
        if case .int(let number)? = error["status"] { status = number } else { status = nil }
    }

    /// The error that a failed instance keeps; nil where it keeps none, and where it was erased.
    ///
    /// - Parameter armed: What the instance has armed, as it is stored.
    package init?(armed: String) {
        // What cannot be read is told by whoever reads the instance, and by a verification.
        guard case .array(let pending)? = try? JSONReader.value(from: armed),
            let kept = pending.lazy.compactMap(\.object).first(where: { $0["kept"] == true })
        else { return nil }
        self.init(kept["data"])
    }

    /// `{type, status?, message}`.
    package var json: JSONValue {
        var object: JSONObject = ["type": .string(type), "message": .string(message)]
        object["status"] = status.map(JSONValue.int)
        return .object(object)
    }

    /// Type and message: `http-status: the answer was 402`.
    package var text: String {
        let shown = InvocationTimeout.shown(message)
        return shown.isEmpty || shown == type ? type : "\(type): \(shown)"
    }

    /// Why an instance has failed on it.
    ///
    /// - Parameter event: That nothing took.
    package func reason(of event: String) -> String { "\(text); no transition takes '\(event)'" }
}

extension String {
    /// The text, cut behind a scalar where it has more bytes; then it ends with `…`.
    package func cut(toBytes longest: Int) -> String {
        if utf8.count <= longest { return self }
        var kept = ""
        for scalar in unicodeScalars {
            if kept.utf8.count + UTF8.width(scalar) > longest { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept + "…"
    }
}
