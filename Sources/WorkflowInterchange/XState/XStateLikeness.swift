import Statechart

/// Tells machine configurations from other maps.
enum XStateLikeness {
    /// Keys that say what a machine does.
    private static let behaviour = [
        "initial", "on", "always", "after", "entry", "exit", "onEntry", "onExit", "invoke", "states",
    ]

    /// Why a map is no machine, with what it looks like; nil when it is one.
    static func mistake(in root: DefinitionNode) -> String? {
        let isNo = "this is no XState configuration"
        if let other = other(root) { return "\(isNo): it looks like \(other), which has no import" }
        if root["states"]?.elements != nil { return "\(isNo): its 'states' are a list, where XState has a map" }
        guard !behaviour.contains(where: { isGiven(root[$0]) }) else { return nil }
        let keys = (root.members ?? []).prefix(3).map(\.key.quoted).joined(separator: ", ")
        return "\(isNo): it has neither 'states' nor 'on'; " + (keys.isEmpty ? "it is empty" : "it begins with \(keys)")
    }

    /// Whether a key has a value that says something.
    private static func isGiven(_ value: DefinitionNode?) -> Bool {
        switch value?.content {
        case nil, .null, .bool, .number: false
        case .string, .list, .map: true
        }
    }

    /// The notation of a map, by the keys that only it has.
    private static func other(_ root: DefinitionNode) -> String? {
        if root["StartAt"] != nil || root["States"] != nil {
            return "a state machine of AWS Step Functions (Amazon States Language)"
        }
        let isNewer = root["document"]?["dsl"] != nil || root["document"] != nil && root["do"] != nil
        if isNewer || root["specVersion"] != nil || root["states"]?.elements != nil && root["start"] != nil {
            return "a workflow of CNCF Serverless Workflow"
        }
        if root["jobs"] != nil { return "a workflow of GitHub Actions" }
        if root["nodes"] != nil, root["connections"] != nil || root["edges"] != nil { return "a graph of nodes" }
        if root["apiVersion"] != nil, root["kind"] != nil { return "an object of Kubernetes" }
        if root["openapi"] != nil || root["swagger"] != nil { return "an OpenAPI document" }
        return nil
    }
}
