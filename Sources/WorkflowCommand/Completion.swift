import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// The kinds of names that a daemon knows and a shell may offer for an argument.
enum Completion: String {
    case instances, machines
    /// The events that the instance named before accepts now.
    case events

    /// The completion for the declaration of an argument. The parser cannot wait for a daemon, so it prints a request
    /// for `CompletionOffer`.
    var kind: CompletionKind {
        .custom { words, index, prefix in
            func value(_ option: String) -> String {
                words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil } ?? ""
            }
            let before = words.indices.contains(index - 1) ? words[index - 1] : ""
            let fields = [rawValue, prefix, before] + ["--address", "--context", "--ca"].map(value)
            return [fields.joined(separator: "\t")]
        }
    }
}

/// Answers the request of a shell that completes a word with names that the daemon knows, at most one page.
///
/// Returns nothing if the daemon is away, or takes longer than a person waits for a word.
struct CompletionOffer {
    private static let patience = Duration.seconds(1)

    let environment: CommandEnvironment

    /// Returns the words for the shell, one per line.
    ///
    /// - Parameter response: The output of the parser: a request, or words that the parser knows itself.
    func text(for response: String) async -> String {
        var lines = response.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let fields = (lines.first ?? "").split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        // Proof: there are six.
        guard fields.count == 6, let completion = Completion(rawValue: fields[0]) else { return response }
        // The remaining lines belong to the shell.
        lines.removeFirst()
        let options = fields.map { $0.isEmpty ? nil : $0 }
        // Nobody asked for a message: without an answer the shell offers nothing.
        let choice = try? DaemonChoice(
            // Proof: as above.
            address: options[3], context: options[4], authorities: options[5], in: environment)
        let words = await words(completion, before: fields[2], from: choice)
        return (words.filter { $0.hasPrefix(fields[1]) } + lines).joined(separator: "\n")
    }

    private func words(_ completion: Completion, before: String, from choice: DaemonChoice?) async -> [String] {
        guard let client = try? choice?.client(in: environment) else { return [] }
        let words = await withTaskGroup(of: [String].self) { group in
            group.addTask { (try? await Self.words(completion, before: before, from: client)) ?? [] }
            group.addTask {
                // The sleep is cancelled as soon as there is an answer.
                try? await Task.sleep(for: Self.patience)
                return []
            }
            let first = await group.next() ?? []
            group.cancelAll()
            return first
        }
        await client.shutdown()
        return words
    }

    private static func words(
        _ completion: Completion, before: String, from client: WorkflowClient
    ) async throws(ClientError) -> [String] {
        let limit = APILimits.largestPageItems
        switch completion {
        case .machines: return try await client.machines(.init(limit: limit)).items.map(\.machine)
        case .events:
            return try await client.events(ofInstance: before).items.filter { $0.accepted != false }.map(\.event)
        case .instances:
            var names: [String] = []
            // Instances that a user can act on come first.
            for status in [Instance.Status.running, .failed, .suspended, .done, .cancelled] where names.count < limit {
                let page = try await client.instances(.init(statuses: [status], limit: limit - names.count))
                names += page.items.map(\.instance)
            }
            return names
        }
    }
}
