import WorkflowJSON

/// A request as a macrostep evaluated it: complete, or with the reason why it can never be sent.
struct HTTPRequest {
    /// The members under `http` in the effect's row.
    private(set) var members = JSONObject()
    private(set) var url: RequestURL?
    /// The first reason why the request can never be sent; `nil` for a request that can be sent.
    private(set) var invalid: String?

    init(_ http: HTTPAction) {
        members["method"] = .string(http.method)
        members["attemptTimeout"] = http.limits.milliseconds.map(JSONValue.int)
        members["maxBytes"] = http.limits.bytes.map { .int(Int64($0)) }
        members["sign"] = http.signingSecret.map(JSONValue.string)
        if !http.secretHeaders.isEmpty { members["secretHeaders"] = .object(http.secretHeaders) }
        if !http.keptHeaders.isEmpty { members["keepHeaders"] = .array(http.keptHeaders.map(JSONValue.string)) }
    }

    /// The queue of the request's origin; `EffectRequest.invalid` if the request can never be sent.
    var queue: String { invalid == nil ? url?.origin.queue ?? EffectRequest.invalid : EffectRequest.invalid }

    mutating func setURL(_ make: () throws(URLMistake) -> RequestURL) {
        do throws(URLMistake) {
            url = try make()
        } catch {
            refuse(error.message)
        }
        members["url"] = url.map { .string($0.text) }
    }

    mutating func add(query words: [(name: String, value: String)]) {
        guard var url else { return }
        do throws(URLMistake) {
            try url.append(words)
            self.url = url
            members["url"] = .string(url.text)
        } catch {
            refuse(error.message)
        }
    }

    /// - Parameter secret: The headers with secrets, which were checked before.
    mutating func add(headers: [(name: String, value: String)], beside secret: JSONObject) {
        let secret = secret.members.map { (name: $0.key, value: $0.value.string ?? "") }
        if let mistake = HeaderCheck.mistake(in: headers + secret) { return refuse(mistake) }
        guard !headers.isEmpty else { return }
        members["headers"] = .object(JSONObject(words: headers))
    }

    mutating func add(body: JSONValue) {
        // The second count is exact, and runs only if the first one passes.
        guard body.isKeepable, JSONWriter.bytes(body).count <= StepLimits.valueBytes else {
            return refuse("the body would be \(StepLimits.tooLarge)")
        }
        members["body"] = body
    }

    mutating func add(form words: [(name: String, value: String)]) {
        let bytes = words.reduce(0) { $0 + 3 * ($1.name.utf8.count + $1.value.utf8.count) + 2 }
        guard bytes <= StepLimits.valueBytes else {
            return refuse("the body would be \(StepLimits.tooLarge)")
        }
        members["form"] = .object(JSONObject(words: words))
    }

    mutating func add(text: String) {
        guard text.utf8.count <= StepLimits.valueBytes else {
            return refuse("the body would be \(StepLimits.tooLarge)")
        }
        members["text"] = .string(text)
    }

    private mutating func refuse(_ reason: String) {
        if invalid == nil { invalid = reason }
    }
}

extension JSONObject {
    /// Creates an object of names and texts.
    fileprivate init(words: [(name: String, value: String)]) {
        self.init()
        for (name, value) in words { _ = insert(.string(value), forNewKey: name) }
    }
}
