/// The tasks that an answer hands out.
enum LeaseAnswer {
    /// What their worker names them by.
    ///
    /// - Parameter body: Of the answer.
    static func tasks(in body: UnsafeRawBufferPointer) -> [String] { texts(of: #""task":""#, in: body) }

    /// The instances that wait for them.
    static func instances(in body: UnsafeRawBufferPointer) -> [String] { texts(of: #""instance":""#, in: body) }

    /// The texts behind all that begins so.
    private static func texts(of field: StaticString, in body: UnsafeRawBufferPointer) -> [String] {
        var texts: [String] = []
        var rest = body
        while let found = rest.place(of: field) {
            let text = rest[(found + field.utf8CodeUnitCount)...].prefix { $0 != UInt8(ascii: "\"") }
            texts.append(String(decoding: text, as: UTF8.self))
            rest = UnsafeRawBufferPointer(rebasing: rest[text.endIndex...])
        }
        return texts
    }
}
