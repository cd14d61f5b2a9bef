import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

// The decisions about an effect of an instance.

extension InstanceVerb {
    private init(
        _ word: StaticString, _ title: String, _ action: EffectVerbRequest.Action, _ effect: String,
        _ fields: [FormField],
        _ rest: @escaping @Sendable (inout FieldReader) -> (result: JSONValue?, newKey: Bool?) = { _ in (nil, nil) }
    ) {
        (self.word, self.title, self.effect, self.route) = (word, title, effect, .decideEffect)
        object = ("effect", "effect ", "of")
        command = ["effects", action.rawValue]
        misfit = { _ in nil }
        self.fields = { _, _ in [FormField("effect", "Effect", .hidden, as: .argument)] + fields + [Self.reason()] }
        order = { reader, subject in
            let id = reader.required("effect", "The effect")
            let (rest, reason) = (rest(&reader), reader.reason(isRequired: false))
            return Order { name, terms, client in
                let request = EffectVerbRequest(
                    action: action, seq: terms.seq, result: rest.result, newKey: rest.newKey, reason: reason,
                    dryRun: terms.dryRun)
                let answer = try await client.decide(request, effect: id, of: name, key: terms.key)
                return SendAnswer(
                    instance: name, event: action.rawValue, seq: answer.seq, fromSeq: subject.instance.seq,
                    from: answer.from, to: answer.to, status: answer.status ?? subject.instance.status,
                    configuration: answer.to, context: nil)
            }
        }
    }

    static let retryEffect = InstanceVerb(
        "retry-effect", "Retry", .retry, "Tries the effect at once, and counts its attempts anew.",
        [
            FormField(
                "newKey", "Send a new idempotency key", .box, as: "--new-key",
                hint: "The service may then do the work twice.")
        ]
    ) { reader in (nil, reader.text("newKey").map { _ in true }) }

    static let skipEffect = InstanceVerb(
        "skip-effect", "Skip", .skip,
        "Ends the effect with a result, as if its service had answered. The instance goes on.",
        [FormField("result", "Result", .json, as: "--result", isRequired: true, hint: "JSON; null is a result.")]
    ) { reader in
        if reader.text("result") == nil { reader.refuse("result", "The result is missing; null is a result") }
        return (reader.json("result"), nil)
    }

    static let cancelEffect = InstanceVerb(
        "cancel-effect", "Cancel", .cancel, "Ends the effect with an error of type 'cancelled'. The instance goes on.",
        [])
}
