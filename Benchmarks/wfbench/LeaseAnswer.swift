/// Reads the tasks in an answer.
enum LeaseAnswer {
    /// Returns the names by which workers refer to the tasks.
    ///
    /// - Parameter body: The body of the answer.
    static func tasks(in body: UnsafeRawBufferPointer) -> [String] { texts(of: #""task":""#, in: body) }

    /// Returns the instances that wait for the tasks.
    static func instances(in body: UnsafeRawBufferPointer) -> [String] { texts(of: #""instance":""#, in: body) }

    /// Returns the texts after every occurrence of a field's name.
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
