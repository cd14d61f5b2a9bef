import WorkflowJSON

/// The content of an effect, before its name, deadline and retry policy are added.
struct EffectContent {
    let queue: String
    let priority: Int64
    /// The request as the effect's row stores it.
    let request: JSONObject

    init(task queue: String, input: JSONValue?, priority: Int64) {
        self.queue = EffectRequest.tasks + queue
        self.priority = priority
        var request = JSONObject()
        request["input"] = input
        self.request = request
    }

    init(_ exec: ExecAction, arguments: [ArgumentCheck.Argument], input: JSONValue?) {
        queue = EffectRequest.programs + exec.program
        priority = TaskAction.priority
        var program: JSONObject = [:]
        let invalid = ArgumentCheck.mistake(in: arguments)
        // Invalid arguments are not stored, because they may be too long.
        if invalid == nil { program["args"] = .array(arguments.map { .string($0.text) }) }
        program["attemptTimeout"] = exec.limits.milliseconds.map(JSONValue.int)
        program["maxBytes"] = exec.limits.bytes.map { .int(Int64($0)) }
        var request: JSONObject = ["exec": .object(program)]
        request["input"] = input
        request["invalid"] = invalid.map(JSONValue.string)
        self.request = request
    }

    init(_ http: HTTPRequest) {
        queue = http.queue
        priority = TaskAction.priority
        var request: JSONObject = ["http": .object(http.members)]
        request["invalid"] = http.invalid.map(JSONValue.string)
        self.request = request
    }

    /// The text for people: `task charge {"amount":5}`, `http POST https://pay.example.com/ {"amount":5}`, `exec
    /// resize`.
    var shown: String {
        var words = [String(queue.prefix { $0 != ":" })]
        if let http = request["http"]?.object {
            words += [http["method"]?.string, http["url"]?.string].compactMap(\.self)
            words += [http["body"], http["form"], http["text"]].compactMap { $0.map(JSONWriter.string) }
        } else {
            words.append(String(queue.dropFirst(words[0].utf8.count + 1)))
            words += (request["exec"]?.object?["args"]).map { [JSONWriter.string($0)] } ?? []
            words += request["input"].map { [JSONWriter.string($0)] } ?? []
        }
        if let invalid = request["invalid"]?.string { words.append("(invalid: \(invalid))") }
        return words.joined(separator: " ")
    }
}
