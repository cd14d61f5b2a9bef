import Statechart
import WorkflowAPI
import WorkflowCalls
import WorkflowJSON

/// The page of a queue, with the form of its settings.
enum QueuePage {
    /// The most pages of queues in which a queue is looked for.
    private static let pages = 20

    static func content(_ name: String, _ visitor: Visitor) async throws -> PageContent {
        let queue = try await item(name, visitor.client)
        return PageContent("Queue \(name)", ["wfctl", "queues"]) {
            EffectPages.table(of: [queue], "The queue").markup
            ConsolePages.section("Settings", id: "settings") {
                ConfirmedAct.setQueue.form(name, visitor, typed: form(of: queue.settings))
            }
        }
    }

    /// Finds a queue.
    static func item(_ name: String, _ client: WorkflowClient) async throws -> QueueItem {
        var parameters = QueueListParameters(limit: APILimits.largestPageItems)
        for _ in 0..<pages {
            let page = try await client.queues(parameters)
            if let item = page.items.first(where: { $0.queue == name }) { return item }
            guard let next = page.nextPage else { break }
            parameters.page = next
        }
        throw ClientError.problem(Problem(.queueNotFound, detail: "There is no queue '\(name)'"))
    }

    /// Returns the settings as the form has them.
    private static func form(of settings: QueueSettingsItem) -> FormRequest? {
        FormRequest(
            words: [],
            fields: [
                ("concurrency", settings.concurrency.map { "\($0)" } ?? ""),
                ("count", settings.rate.map { "\($0.count)" } ?? ""),
                ("span", settings.rate.map { DelayText.text(milliseconds: $0.milliseconds) } ?? ""),
                ("paused", settings.paused ? "yes" : ""),
            ])
    }
}

extension ConfirmedAct {
    static let setQueue = ConfirmedAct(
        word: "set-queue", label: "Change the queue", route: .setQueue,
        fields: [
            FormField("concurrency", "Effects at once", hint: "Empty for the default."),
            FormField("count", "Starts in a span", hint: "Empty for no limit."),
            FormField("span", "The span", hint: "Such as 1s or 10m."), FormField("paused", "Start no effect", .box),
        ],
        command: { name, form in
            let rate = form.text("count").map { "\($0)/\(form.text("span") ?? "1s")" } ?? "default"
            return ["wfctl", "queue", name, "--concurrency", form.text("concurrency") ?? "default", "--rate", rate]
                + [form.text("paused") == nil ? "--resume" : "--pause"]
        },
        rehearse: { name, form, visitor in
            let request = try queueRequest(form)
            var then = QueueSettingsItem(queue: name, paused: request.paused ?? false)
            if case .set(let concurrency) = request.concurrency { then.concurrency = concurrency }
            if case .set(let rate) = request.rate { then.rate = rate }
            let now = try await QueuePage.item(name, visitor.client).settings
            return "Settings now: \(EffectPages.settings(now)). Then: \(EffectPages.settings(then)). "
                + "Effects that have begun continue."
        },
        perform: { name, form, visitor in
            Link("queues", try await visitor.client.set(queue: name, queueRequest(form)).queue)
        })

    /// Returns the request that sets all settings to what was typed.
    private static func queueRequest(_ form: FormRequest) throws -> QueueRequest {
        var json: JSONObject = ["concurrency": .null, "rate": .null, "paused": .bool(form.text("paused") != nil)]
        var reader = FieldReader(form)
        if let number = reader.number("concurrency") { json["concurrency"] = .int(number) }
        let count = reader.number("count")
        try reader.check(setQueue.fields)
        if let count {
            do throws(DelayError) {
                let span = try DelayText.lengthWithUnit(of: form.text("span") ?? "1s")
                json["rate"] = .object(["count": .int(count), "milliseconds": .int(span)])
            } catch {
                throw WireError(.invalidValue, path: "span", message: "Field 'The span': \(error.message)")
            }
        }
        return try QueueRequest(json: .object(json))
    }

    static let release = ConfirmedAct(
        word: "release", label: "Release held effects", route: .release, fields: [],
        command: { _, _ in ["wfctl", "release"] },
        rehearse: { _, _, _ in
            "Tasks would be handed out, and calls and programs would begin, from now on. What lacked a secret or a "
                + "program would be tried again."
        },
        perform: { _, _, visitor in
            _ = try await visitor.client.release()
            return Link()
        })
}
