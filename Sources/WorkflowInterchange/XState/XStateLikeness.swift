import Statechart

/// Distinguishes machine configurations from other maps.
enum XStateLikeness {
    /// The keys that describe a machine's behavior.
    private static let behaviour = [
        "initial", "on", "always", "after", "entry", "exit", "onEntry", "onExit", "invoke", "states",
    ]

    /// Returns the reason that a map is not a machine, with the format that it resembles; `nil` if it is a machine.
    static func mistake(in root: DefinitionNode) -> String? {
        let isNo = "this is no XState configuration"
        if let other = other(root) { return "\(isNo): it looks like \(other), which has no import" }
        if root["states"]?.elements != nil { return "\(isNo): its 'states' are a list, where XState has a map" }
        guard !behaviour.contains(where: { isGiven(root[$0]) }) else { return nil }
        let keys = (root.members ?? []).prefix(3).map(\.key.quoted).joined(separator: ", ")
        return "\(isNo): it has neither 'states' nor 'on'; " + (keys.isEmpty ? "it is empty" : "it begins with \(keys)")
    }

    /// Returns true if a value is a string, a list or a map.
    private static func isGiven(_ value: DefinitionNode?) -> Bool {
        switch value?.content {
        case nil, .null, .bool, .number: false
        case .string, .list, .map: true
        }
    }

    /// Returns the format of a map, by the keys that only this format has.
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
