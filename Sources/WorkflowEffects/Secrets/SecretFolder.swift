import Foundation
import Statechart

/// A folder of secrets, one file each. wfd reads a file for each attempt, so a secret can be changed while the daemon
/// runs.
package struct SecretFolder: Sendable {
    private let path: String?

    /// - Parameter path: The path of the folder; `nil` if there is none.
    package init(_ path: String?) { self.path = path }

    /// The reason why a secret cannot be used. The effect is held until somebody corrects the cause.
    struct Missing: Error, Equatable {
        let reason: String
    }

    /// A secret that may be sent to an origin.
    struct Secret: Equatable {
        let name: String
        let text: String
    }

    /// The smallest number of bytes of a secret; a shorter one would also match unrelated text.
    private static let least = 8
    private static let most = 64 << 10

    /// Returns the reason why a secret cannot be sent to an origin, or `nil` if it can.
    func reason(against name: String, for origin: HTTPOrigin) -> String? {
        do throws(Missing) {
            _ = try secret(name, for: origin)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Returns a secret. Blocks on the disk, or on the writer of a pipe.
    ///
    /// - Parameter origin: The origin that receives the secret.
    func secret(_ name: String, for origin: HTTPOrigin) throws(Missing) -> Secret {
        guard let path else { throw Missing(reason: "secret '\(name)' is missing: wfd has no folder of secrets") }
        guard Self.isName(name) else { throw Missing(reason: "'\(name)' is no name of a secret") }
        guard let text = Self.text(of: "\(path)/\(name)") else {
            throw Missing(reason: "secret '\(name)' is missing: there is no file '\(name)' that wfd can read")
        }
        guard !text.isEmpty else { throw Missing(reason: "secret '\(name)' is empty") }
        guard text.utf8.count >= Self.least, !text.utf8.contains(0) else {
            throw Missing(reason: "secret '\(name)' has fewer than \(Self.least) bytes, or a NUL")
        }
        guard let list = Self.text(of: "\(path)/\(name).origins") else {
            throw Missing(reason: "secret '\(name)' may go nowhere: there is no file '\(name).origins'")
        }
        let lines = list.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard lines.contains(where: { HTTPOrigin($0) == origin }) else {
            // The author of a malformed line may have meant this origin.
            let wrong = lines.first { !$0.isEmpty && HTTPOrigin($0) == nil }
            let hint = wrong.map { "; its line '\($0)' is no origin, as 'https://pay.example.com' is" } ?? ""
            throw Missing(
                reason: "secret '\(name)' may not go to \(origin.text): '\(name).origins' does not have it" + hint)
        }
        return Secret(name: name, text: text)
    }

    private static func isName(_ name: String) -> Bool {
        let isKnown: (UInt8) -> Bool = { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return !name.isEmpty && name.utf8.allSatisfy(isKnown) && name.utf8.first != UInt8(ascii: ".")
    }

    /// Returns the text of a file without its final line end.
    private static func text(of file: String) -> String? {
        guard let handle = FileHandle(forReadingAtPath: file) else { return nil }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: most + 1), data.count <= most,
            var text = String(bytes: data, encoding: .utf8)
        else { return nil }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}

extension HTTPOrigin {
    /// Parses a line of a file of origins; `nil` for a line with a path, or if the line is not a URL.
    init?(_ line: String) {
        guard let url = try? RequestURL(line), url.text == url.origin.text + "/" else { return nil }
        self = url.origin
    }
}
