import WorkflowAPI
import Yams

/// The daemons that a user has logged in to, in `$XDG_CONFIG_HOME/wfctl/contexts.yaml`.
struct ContextFile {
    /// A daemon and the token to send there.
    struct Context: Codable, Equatable {
        var address: String
        var ca: String?
        var token: String
    }

    private struct Content: Codable {
        var current: String?
        var contexts: [String: Context]
    }

    private let path: String?
    private var content = Content(contexts: [:])

    /// Reads the file; a missing file has no contexts.
    init(in environment: CommandEnvironment) throws {
        let variables = environment.variables.filter { !$0.value.isEmpty }
        path = (variables["XDG_CONFIG_HOME"] ?? variables["HOME"].map { $0 + "/.config" })
            .map { $0 + "/wfctl/contexts.yaml" }
        guard let path, environment.files.exists(path) else { return }
        let text = try environment.files.readPrivate(path, limit: 1 << 20)
        do {
            content = try YAMLDecoder().decode(Content.self, from: String(decoding: text, as: UTF8.self))
        } catch {
            // The parser's words may have a token in them.
            throw CommandFailure(.badData, "Cannot use '\(path)': it is not a file that 'wfctl login' writes")
        }
    }

    var current: String? { content.current }

    /// The names, sorted.
    var names: [String] { content.contexts.keys.sorted() }

    func context(_ name: String) throws -> Context {
        if let context = content.contexts[name] { return context }
        let known = names.isEmpty ? "there is none" : "there are: " + names.joined(separator: ", ")
        throw CommandFailure(
            .usage, "There is no context '\(name)': \(known); 'wfctl login URL --name \(name)' makes it")
    }

    /// Sets a context, or removes it with `nil`, and writes the file.
    mutating func set(_ name: String, _ context: Context?, in environment: CommandEnvironment) throws {
        content.contexts[name] = context
        if context == nil, content.current == name { content.current = nil }
        try write(in: environment)
    }

    /// Makes a context the one that is used when none is named.
    mutating func use(_ name: String, in environment: CommandEnvironment) throws {
        _ = try context(name)
        content.current = name
        try write(in: environment)
    }

    private func write(in environment: CommandEnvironment) throws {
        guard let path, let slash = path.lastIndex(of: "/") else {
            throw CommandFailure(.usage, "Cannot tell where to keep contexts: set HOME or XDG_CONFIG_HOME")
        }
        try environment.files.createFolder(String(path[..<slash]))
        let encoder = YAMLEncoder()
        encoder.options.sortKeys = true
        let file = try environment.files.create(path, isPrivate: true)
        do {
            try file.write(Array(try encoder.encode(content).utf8))
            try file.commit(replacing: true)
        } catch {
            file.discard()
            throw error
        }
    }
}
