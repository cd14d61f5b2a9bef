import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

extension InstanceVerb {
    /// Sends an event.
    static let send = InstanceVerb(
        word: "send", title: "Send", object: ("event", "", "to"), route: .sendEvent,
        effect: "Sends the event to the instance.", command: ["send"],
        misfit: \.takesNothing,
        fields: { subject, form in
            [FormField("event", "Event", .hidden, as: .argument)] + DataFields(of: form, subject.tree).fields
        },
        order: { reader, subject in
            let event = reader.required("event", "The event")
            let data = DataFields(of: reader.form, subject.tree).value(&reader)
            return Order(options: data.map { ["--data", JSONWriter.string($0)] } ?? []) { name, terms, client in
                let request = SendRequest(
                    event: event, data: data, expect: terms.seq.map { Expectation(seq: $0) })
                let isTrial = terms.dryRun ?? false
                return try await client.send(
                    request, to: name, SendParameters(dryRun: isTrial, detail: isTrial, explain: isTrial),
                    key: terms.key)
            }
        })
}
