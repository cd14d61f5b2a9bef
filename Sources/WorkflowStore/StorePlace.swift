/// The place of a store's file, in parts that differ for a copy of the file. A part that is unknown is `nil`.
///
/// The device number is not a part, because it changes when a disk is attached anew.
package struct StorePlace: Sendable, Hashable {
    /// The kind of the file system and its UUID, such as `ext:46e649dd790cbc09`.
    package var fileSystem: String?
    /// The number of the file's inode.
    package var inode: UInt64?
    /// The machine, as a digest of its id (`id:5b0e…`) or as the operator's name for it (`name:shop`).
    package var machine: String?

    /// Creates a place of its parts.
    package init(fileSystem: String? = nil, inode: UInt64? = nil, machine: String? = nil) {
        self.fileSystem = fileSystem
        self.inode = inode
        self.machine = machine
    }

    /// Returns this place, with each `nil` part replaced by that of another place.
    package func completed(by other: StorePlace) -> StorePlace {
        StorePlace(
            fileSystem: fileSystem ?? other.fileSystem, inode: inode ?? other.inode, machine: machine ?? other.machine)
    }
}

/// The difference between a store's place and the place where its effects were last allowed to start.
package struct PlaceChange: Sendable, Hashable, CustomStringConvertible {
    /// The place where the effects were last allowed to start.
    package let before: StorePlace
    /// The present place.
    package let now: StorePlace

    /// Compares two places; `nil` if all parts that both have are equal.
    package init?(from before: StorePlace, to now: StorePlace) {
        self.before = before
        self.now = now
        if parts.isEmpty { return nil }
    }

    /// The difference in words, such as `the database was copied or moved: its inode was 12 and is 15`.
    package var description: String {
        let differences = parts.map { "its \($0.name) was \($0.before) and is \($0.now)" }
        return "the database was copied or moved: " + differences.joined(separator: ", ")
    }

    private var parts: [(name: String, before: String, now: String)] {
        let parts = [
            ("file system", before.fileSystem, now.fileSystem),
            ("inode", before.inode.map { "\($0)" }, now.inode.map { "\($0)" }),
            ("machine", before.machine, now.machine),
        ]
        return parts.compactMap { name, before, now in
            guard let before, let now, before != now else { return nil }
            return (name, before, now)
        }
    }
}
