import Foundation
import Statechart

/// Secrets are files, read for each attempt: so they can be changed while the daemon runs.
package struct SecretFolder: Sendable {
    private let path: String?

    /// - Parameter path: Of the folder; nil when there are none.
    package init(_ path: String?) { self.path = path }

    /// Why a secret cannot be used: its effect is held until somebody has mended that.
    struct Missing: Error, Equatable {
        let reason: String
    }

    /// A secret that may go to an origin.
    struct Secret: Equatable {
        let name: String
        let text: String
    }

    /// A shorter one would be found in what means something else.
    private static let least = 8
    private static let most = 64 << 10

    /// The reason why a secret cannot go to an origin; nil when it can.
    func reason(against name: String, for origin: HTTPOrigin) -> String? {
        do throws(Missing) {
            _ = try secret(name, for: origin)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Blocks for the disk, or for whoever writes to a pipe.
    ///
    /// - Parameter origin: Where it is to go.
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
            // Whoever wrote it may have meant this origin.
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

    /// Without the line's end behind it.
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
    /// Reads a line of a file of origins; nil for one that has a path, too, or is no url at all.
    init?(_ line: String) {
        guard let url = try? RequestURL(line), url.text == url.origin.text + "/" else { return nil }
        self = url.origin
    }
}
