import CFileSystem
package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Determines where a file is.
package enum PlaceSource: Sendable {
    /// Asks the system. If there is a name, it replaces the machine's id.
    case system(machine: String?)
    /// Returns the same place for every file.
    case fixed(StorePlace)

    /// Returns the place of an existing file. The file is not opened: closing it would drop this process's locks on it.
    ///
    /// - Parameter path: An absolute path without links.
    func place(of path: String) -> StorePlace {
        switch self {
        case .fixed(let place): return place
        case .system(let name):
            let machine = name.map { "name:\($0)" } ?? Self.machine()
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            var system = file_system_identity(path, slash == path.startIndex ? "/" : String(path[..<slash]))
            let text = withUnsafeBytes(of: &system.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            let inode = system.keeps_inodes == 0 ? nil : StoreFile.identity(of: path)?.identity.number
            return StorePlace(fileSystem: text.isEmpty ? nil : text, inode: inode, machine: machine)
        }
    }

    /// Returns a digest of the machine's id (machine-id(5)); `nil` if the machine has none.
    ///
    /// The file does not contain the id itself, as that page asks: backups leave the machine.
    package static func machine(from file: String = "/etc/machine-id") -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The file has 32 digits and a newline. Before a first boot it is empty, or contains `uninitialized`.
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &text, text.count)
        let digits = text.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        let isID = digits.count == 32 && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        guard isID, digits.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
        return "id:" + Digest(of: Array("wfd place ".utf8) + digits).bytes.prefix(8).hexadecimal
    }
}
