import Statechart
import WorkflowAPI
import WorkflowClient
import WorkflowSpelling

/// Reports that no machine has a state, for a list by a state that no instance is in.
///
/// An empty list may be the correct answer, so the hint goes to the error stream, and only if it is certain.
struct StateHint {
    /// The largest number of versions that are read, of all machines together; with more versions there is no hint.
    private static let versionsAtMost = 200

    let state: String
    /// The machines; empty for all.
    let machines: [String]

    /// Returns the hint, or `nil` if a version has the state or the answer is uncertain.
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

    /// Returns all versions with their definitions, latest first, or `nil` if there are too many.
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
        // More machines than this limit have more versions than are read.
        return try await client.machines(.init(limit: Self.versionsAtMost + 1)).items
    }
}
