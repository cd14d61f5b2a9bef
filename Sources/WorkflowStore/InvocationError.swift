import Statechart
package import WorkflowJSON

/// The failure of an invocation's last attempt, as the data of its error event states it.
///
/// The type and the message come from a service, a program or a worker, and may quote data. Everyone who may see the
/// instance sees both; neither appears in metrics or in the notes of rows. The log has the type alone.
package struct InvocationError: Sendable, Hashable {
    /// The failure type of an instance that failed on an invocation.
    package static let failureType = "invocation-failed"

    /// The largest number of bytes of the type, and of the message; longer texts are cut.
    package static let longestText = 1_024

    /// The type: `http-status`, `timeout`, `exit`, or a worker's own word.
    package let type: String
    /// The status of an answer over HTTP; `nil` if there was none.
    package let status: Int64?
    package let message: String

    /// Creates the error from the data of an event; `nil` if the data has no error.
    package init?(_ data: JSONValue?) {
        guard let error = data?.object else { return nil }
        let (type, message) = (error["type"]?.string, error["message"]?.string)
        guard type != nil || message != nil else { return nil }
        self.type = (type ?? "failed").cut(toBytes: Self.longestText)
        self.message = (message ?? "").cut(toBytes: Self.longestText)
        if case .int(let number)? = error["status"] { status = number } else { status = nil }
    }

    /// Creates the error that a failed instance stores; `nil` if there is none or it was erased.
    ///
    /// - Parameter armed: The pending items of the instance, as stored.
    package init?(armed: String) { self.init(Self.data(armed: armed)) }

    /// Returns the data of the event on which a failed instance failed; `nil` if there is none or it was erased.
    ///
    /// - Parameter armed: The pending items of the instance, as stored.
    package static func data(armed: String) -> JSONValue? {
        // A reader of the instance and a verification report an unreadable text.
        guard case .array(let pending)? = try? JSONReader.value(from: armed) else { return nil }
        return pending.lazy.compactMap(\.object).first { $0["kept"] == true }?["data"]
    }

    /// `{type, status?, message}`.
    package var json: JSONValue {
        var object: JSONObject = ["type": .string(type), "message": .string(message)]
        object["status"] = status.map(JSONValue.int)
        return .object(object)
    }

    /// The type and the message, which may begin with the type: `http-status: the answer was 402`, `exit code 3`.
    package var text: String {
        let shown = InvocationTimeout.shown(message)
        if shown.isEmpty { return type }
        // `exit code 3` says its type itself.
        return shown == type || shown.hasPrefix(type + " ") ? shown : "\(type): \(shown)"
    }

    /// Returns the reason why an instance has failed on this error.
    ///
    /// - Parameter event: The event that no transition took.
    package func reason(of event: String) -> String { "\(text); no transition takes '\(event)'" }
}

extension String {
    /// Returns the text; a text with more bytes is cut after a scalar and ends with `…`.
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
