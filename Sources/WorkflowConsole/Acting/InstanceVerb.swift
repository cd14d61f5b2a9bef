import WorkflowAPI
import WorkflowCalls

/// A verb on one instance: what its form asks, and the request that it makes of it.
struct InstanceVerb: Sendable {
    /// The terms of a request. The rehearsal and the act differ in them alone.
    struct Terms: Sendable {
        /// The seq that the instance must have; for an effect, the seq that began it.
        let seq: Int64?
        /// True for a rehearsal.
        let dryRun: Bool?
        /// The key that the form had; `nil` for a rehearsal.
        let key: String?
    }

    /// Sends the request.
    typealias Ask = @Sendable (_ instance: String, Terms, WorkflowClient) async throws -> SendAnswer

    /// A request as a form says it.
    struct Order: Sendable {
        /// The options of wfctl that no single field stands for.
        var options: [String] = []
        let ask: Ask
    }

    /// The word of the form's address, and of its act.
    let word: StaticString
    /// The word of its heading and its button.
    let title: String
    /// The field that names what the verb is about, beside the instance, with the words before and behind.
    var object: (field: String, before: String, behind: String)?
    let route: Route
    /// A sentence that says what the verb does.
    let effect: String
    /// The words of wfctl before the instance's name.
    let command: [String]
    /// Returns why the verb does not fit the instance now; `nil` if it does.
    let misfit: @Sendable (Standing) -> String?
    let fields: @Sendable (Subject, FormRequest) -> [FormField]
    /// Reads the form; a mistake is collected by the reader.
    let order: @Sendable (inout FieldReader, Subject) -> Order

    /// The act of the form.
    var act: ConsoleAct {
        ConsoleAct(word, title, by: route) { name, form, visitor in
            try await InstanceForm.answer(self, name, form, visitor)
        }
    }

    /// Returns the heading: `Send 'pay' to order-7`.
    func heading(_ name: String, _ form: FormRequest) -> String {
        let object = object.flatMap { object in
            form.text(object.field).map { "\(object.before)'\($0)' \(object.behind) " }
        }
        return "\(title) \(object ?? (title.contains(" ") ? "of " : ""))\(name)"
    }

    /// Returns the label of the button.
    func label(_ form: FormRequest) -> String {
        guard let object, let text = form.text(object.field) else { return title }
        return "\(title) \(object.before)'\(text)'"
    }

    /// All verbs, in the order in which a page offers them.
    static let all = [
        send, retry, skip, set, suspend, resume, reset, migrate, undo, cancel, retryEffect, skipEffect, cancelEffect,
    ]
    /// The verbs for which an instance's page has a button.
    static let offered = all.filter { $0.object == nil || $0.isSend }

    var isSend: Bool { "\(word)" == "send" }
    /// True for a verb whose form is filled in beside the context.
    var changesContext: Bool { "\(word)" == "set" }

    static func named(_ word: String) -> InstanceVerb? { all.first { "\($0.word)" == word } }
}

/// The instance on which a form acts, as it is while the form is made. It is a class because the code that copies so
/// many fields would stand in the program for each structure that has it.
final class Subject: Sendable {
    let standing: Standing
    var instance: Instance { standing.instance }
    /// The states of its version; `nil` if the definition cannot be read.
    let tree: StateTree?
    /// The effect that the form names.
    let effect: EffectItem?

    init(_ name: String, _ form: FormRequest, _ client: WorkflowClient) async throws {
        let instance = try await client.instance(name)
        standing = await Standing(of: instance, client)
        tree = await InstancePage.tree(of: instance.machine, version: instance.version, client)
        guard let id = form.text("effect") else {
            effect = nil
            return
        }
        let parameters = EffectListParameters(instance: name, limit: APILimits.largestPageItems)
        effect = try await client.effects(parameters).items.first { $0.id == id }
    }
}
