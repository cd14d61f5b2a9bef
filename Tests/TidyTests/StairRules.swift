/// Rules for the order of a target's folders. A file names only types of its own folder and of lower ones, so the
/// folders cannot form a circle.
struct StairRules {
    let target: String
    /// The folders from the lowest to the highest.
    let folders: [String]
    /// The file that makes all parts, and may name every folder.
    let root: String

    static let engine = StairRules(
        target: "Sources/WorkflowEngine",
        folders: [
            "Ground", "Machines", "Batch", "Queue", "Commands", "Commit", "Effects", "Lane", "Engine", "Replay", "Read",
            "Statistics", "Bulk", "Erasure", "Verification", "Backup",
        ],
        root: "Engine/Engine.swift")

    /// Returns the names of types from a higher folder, and the files in no folder of the list.
    func upward(_ files: [SourceFile]) -> [Finding] {
        let own = files.filter { $0.isIn(target) && $0.isSwift }
        let masked = own.map { $0.maskedLines }
        var homes: [Substring: Int] = [:]
        for (file, lines) in zip(own, masked) {
            guard let place = place(of: file) else { continue }
            for entry in file.outline.entries where entry.parent == nil {
                let declaration = entry.declaration
                let isType = declaration.isContainer && declaration.keyword != "extension"
                guard isType || declaration.keyword == "typealias", !lines[entry.line - 1].contains("private ")
                else { continue }
                homes[declaration.name[...]] = place
            }
        }
        return zip(own, masked).flatMap { file, lines -> [Finding] in
            guard let place = place(of: file) else { return [Finding(file.path, "is in no folder of the stair")] }
            if file.path == "\(target)/\(root)" { return [] }
            return zip(1..., lines).flatMap { number, line in
                line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.compactMap { word in
                    guard let home = homes[word], home > place else { return nil }
                    return Finding(
                        file.path, line: number,
                        "'\(word)' is in \(folders[home]), which is above \(folders[place])")
                }
            }
        }
    }

    private func place(of file: SourceFile) -> Int? {
        let rest = file.path.dropFirst(target.count + 1)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        return folders.firstIndex(of: String(rest[..<slash]))
    }
}
