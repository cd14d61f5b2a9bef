import Statechart
import WorkflowAPI
import WorkflowClient
import WorkflowSpelling

/// Says of a state that no instance is in whether any machine has it.
///
/// An empty list may be what was asked for; so this is said on the error stream, and only where it is certain.
struct StateHint {
    /// Versions that are read at most, of all machines together; nothing is said when there are more.
    private static let versionsAtMost = 200

    let state: String
    /// Empty for all.
    let machines: [String]

    /// The sentence; nil when a version has the state, and when that cannot be known.
    func text(from client: WorkflowClient) async throws(ClientError) -> String? {
        guard let versions = try await versions(from: client), !versions.isEmpty else { return nil }
        var paths: [String] = []
        var known: Set<String> = []
        for version in versions {
            // A definition that this wfctl does not understand may have the state.
            guard let machine = try? version.machine() else { return nil }
            if machine.state(atPath: state) != nil { return nil }
            for state in machine.states where known.insert(state.path).inserted { paths.append(state.path) }
        }
        let names = machines.map { "'\($0)'" }.joined(separator: " or ")
        let place = machines.isEmpty ? "no version of any machine" : "no version of machine \(names)"
        let suggestion = Spelling.closest(to: state, among: paths).map { "; did you mean '\($0)'?" } ?? ""
        return "note: \(place) has a state '\(state)'\(suggestion)"
    }

    /// All versions with their definitions, the latest first; nil when there are too many.
    private func versions(from client: WorkflowClient) async throws(ClientError) -> [MachineSummary]? {
        var versions: [MachineSummary] = []
        for latest in try await latestVersions(from: client) {
            guard versions.count + Int(latest.version) <= Self.versionsAtMost else { return nil }
            for version in stride(from: latest.version, to: 0, by: -1) {
                versions.append(try await client.machine(latest.machine, version: version))
            }
        }
        return versions
    }

    private func latestVersions(from client: WorkflowClient) async throws(ClientError) -> [MachineSummary] {
        var latest: [MachineSummary] = []
        for machine in machines { latest.append(try await client.machine(machine)) }
        if !latest.isEmpty { return latest }
        // Whoever has more machines than these has more than the versions that are read.
        return try await client.machines(.init(limit: Self.versionsAtMost + 1)).items
    }
}
