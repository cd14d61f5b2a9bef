package import WorkflowJSON

/// The data of an instance.
package struct ModelContext: Equatable {
    /// As JSON.
    package private(set) var object: JSONObject

    /// What random machines begin with.
    package init() {
        self.init(["last": 0, "n": 0, "order": 0, "trace": []])
    }

    package init(_ object: JSONObject) {
        self.object = object
    }

    /// The value of a key.
    package subscript(key: String) -> JSONValue? {
        get { object[key] }
        set { object[key] = newValue }
    }

    /// As text, keys in the order of their bytes.
    package var text: String { JSONWriter.string(object) }
}

/// What random machines do with their data.
extension ModelContext {
    /// How many numbers `trace` takes: a machine that never settles has only so much to evaluate.
    package static let longestTrace = 30

    private func int(_ key: String) -> Int64 {
        if case .int(let int)? = self[key] { int } else { 0 }
    }

    var n: Int64 { int("n") }

    mutating func count() { self["n"] = .int(n + 1) }

    mutating func setLast(_ number: Int) { self["last"] = .int(Int64(number)) }

    /// Notes a number: in `order` as one number, which two orders hardly ever give the same; in `trace` for people.
    mutating func note(_ number: Int) {
        self["order"] = .int((int("order") * 31 + Int64(number)) % 1_000_003)
        guard case .array(let trace)? = self["trace"], trace.count < Self.longestTrace else { return }
        self["trace"] = .array(trace + [.int(Int64(number))])
    }
}
