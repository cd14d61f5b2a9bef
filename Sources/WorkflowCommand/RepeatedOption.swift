import ArgumentParser
import WorkflowAPI
import WorkflowJSON

/// Detects options with one value that are given twice. The parser would silently use the last one.
enum RepeatedOption {
    /// Refuses repeated options. Of a global option the last one counts, so that an alias can be overridden.
    static func refuse(in arguments: [String], of verb: any Verb.Type) throws {
        var seen: Set<Substring> = []
        var repeated: [Substring] = []
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
            let name = argument.prefix { $0 != "=" }
            if !seen.insert(name).inserted, !GlobalOptions.names.contains(String(name)) { repeated.append(name) }
        }
        if repeated.isEmpty { return }
        let single = singleOptions(of: verb)
        guard let name = repeated.first(where: { single.contains(String($0)) }) else { return }
        throw CommandFailure(.usage, "'\(name)' is given twice, but takes one value")
    }

    /// Returns the options of a verb that take one value, as the parser describes them.
    private static func singleOptions(of verb: any Verb.Type) -> Set<String> {
        let described = (try? JSONReader.value(from: verb._dumpHelp()))?.object
        guard case .array(let arguments)? = described?["command"]?.object?["arguments"] else { return [] }
        var names: Set<String> = []
        for argument in arguments.compactMap(\.object) {
            guard argument["kind"] == "option", argument["isRepeating"] != true,
                case .array(let spelled)? = argument["names"]
            else { continue }
            for name in spelled.compactMap(\.object) where name["kind"] == "long" {
                if let text = name["name"]?.string { names.insert("--" + text) }
            }
        }
        return names
    }
}
