package import WorkflowJSON

/// The data of an instance.
package struct ModelContext: Equatable {
    /// The data as JSON.
    package private(set) var object: JSONObject

    /// Creates the initial data of random machines.
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

    /// The data as text, with keys in the order of their bytes.
    package var text: String { JSONWriter.string(object) }
}

/// The changes that random machines make to their data.
extension ModelContext {
    /// The number of entries that `trace` takes, so that a machine that never becomes stable evaluates a bounded
    /// amount.
    package static let longestTrace = 30

    private func int(_ key: String) -> Int64 {
        if case .int(let int)? = self[key] { int } else { 0 }
    }

    var n: Int64 { int("n") }

    mutating func count() { self["n"] = .int(n + 1) }

    mutating func setLast(_ number: Int) { self["last"] = .int(Int64(number)) }

    /// Records a number. `order` combines all numbers into one that two orders hardly ever share; `trace` lists them
    /// for people.
    mutating func note(_ number: Int) {
        self["order"] = .int((int("order") * 31 + Int64(number)) % 1_000_003)
        guard case .array(let trace)? = self["trace"], trace.count < Self.longestTrace else { return }
        self["trace"] = .array(trace + [.int(Int64(number))])
    }
}
