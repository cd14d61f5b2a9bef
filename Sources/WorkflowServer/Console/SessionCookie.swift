import HTTPTypes
import WorkflowStore

/// The cookie with a session's secret.
///
/// Browsers keep cookies by host, whatever the port is. So the name has the store's identifier: two daemons of one host
/// do not take each other's place.
enum SessionCookie {
    private static func name(of store: UniqueID, isSecure: Bool) -> String {
        "\(isSecure ? "__Secure-" : "")wfd-\(store.text)"
    }

    /// Returns the value of `Set-Cookie` that gives a browser a session.
    static func text(_ secret: String, of store: UniqueID, isSecure: Bool) -> String {
        "\(name(of: store, isSecure: isSecure))=\(secret)\(attributes)\(isSecure ? "; Secure" : "")"
    }

    private static let attributes = "; Path=/console/; HttpOnly; SameSite=Strict"

    /// Returns the fields that take the session from a browser.
    static func removals(of store: UniqueID) -> [HTTPField] {
        [false, true].map { isSecure in
            HTTPField(name: .setCookie, value: text("", of: store, isSecure: isSecure) + "; Max-Age=0")
        }
    }

    /// Returns the secrets that a request has, up to four. With TLS, a cookie that came without it does not count.
    static func secrets(in head: HTTPRequest, of store: UniqueID, isEncrypted: Bool) -> [String] {
        let names = (isEncrypted ? [true] : [true, false]).map { name(of: store, isSecure: $0) }
        var secrets: [String] = []
        for field in head.headerFields[values: .cookie] {
            for part in field.split(separator: ";") {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                // Proof: there are two.
                guard pair.count == 2, names.contains(where: { $0 == pair[0] }) else { continue }
                secrets.append(String(pair[1].prefix(200)))
            }
        }
        return Array(secrets.prefix(4))
    }
}
