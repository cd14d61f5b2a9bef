package import WorkflowAPI
import WorkflowJSON

/// The tokens of a daemon, and the changes that the audit may lack.
struct AccessContent: WireRecord, Equatable {
    /// The number of the last change; it grows with each change.
    var number: Int64 = 0
    /// The changes that the database's audit may lack, the first made first.
    var unrecorded: [AccessChange] = []
    var tokens: [TokenRecord] = []

    init() {}

    init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        number = try fields.required("number", \.number)
        unrecorded = try fields.required("unrecorded", \.unrecorded)
        tokens = try fields.required("tokens", \.tokens)
    }

    /// Reads the content of a storage.
    ///
    /// - Returns: `nil` if nothing was ever written.
    init?(of storage: some AccessStorage) throws(AccessError) {
        guard let bytes = try storage.read() else { return nil }
        do {
            self = try AccessContent.read(JSONReader.value(from: bytes), at: WirePlace(unknownFields: .refused))
        } catch {
            throw AccessError(.refused, "Cannot read the tokens in '\(storage.path)': it is damaged: \(error)")
        }
    }

    /// The content as a line of JSON.
    var bytes: [UInt8] { JSONWriter.bytes(self) + [UInt8(ascii: "\n")] }

    func check() throws(WireError) {
        let isUnique = Set(tokens.map(\.name)).count == tokens.count && Set(tokens.map(\.id)).count == tokens.count
        guard isUnique, tokens.count <= APILimits.tokens else {
            throw WireError(.invalidValue, path: "tokens", message: "Two tokens have the same name or id")
        }
        guard AccessChange.numbers.contains(number), unrecorded.allSatisfy({ $0.number <= number }) else {
            throw WireError(.invalidValue, path: "number", message: "The number of the last change is not valid")
        }
    }
}

/// A change of the tokens, for the audit.
package struct AccessChange: WireRecord, Equatable {
    package let number: Int64
    /// The token's name.
    package let token: String
    /// The change in words.
    package let detail: String
    package let actor: String?

    /// The numbers that the audit takes: far more milliseconds than since 1970.
    static let numbers: Range<Int64> = 0..<1 << 48

    init(number: Int64, token: String, detail: String, actor: String?) {
        self.number = number
        self.token = token
        self.detail = detail
        self.actor = actor
    }

    package init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        number = try fields.required("number", \.number)
        token = try fields.required("token", \.token)
        detail = try fields.required("detail", \.detail)
        actor = try fields.optional("actor", \.actor)
    }

    package func check() throws(WireError) {
        guard Self.numbers.contains(number), !token.isEmpty else {
            throw WireError(.invalidValue, path: "unrecorded", message: "A change that the audit lacks is not valid")
        }
    }
}
