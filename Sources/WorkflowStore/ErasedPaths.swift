import WorkflowJSON

/// The paths of an erasure, as stored.
package struct ErasedPaths: Sendable {
    /// The paths in the context that are emptied; `nil` for the whole context.
    package let context: [String]?
    /// The paths to erase in the data of rows; empty if the rows are erased whole.
    package let data: [String]

    package init(of record: ErasureRecord) {
        (context, data) = (record.paths, record.dataPaths)
    }

    /// Parses a text that `text` made; `nil` for any other text.
    package init?(text: String?) {
        guard let text else {
            (context, data) = (nil, [])
            return
        }
        // A text that is not JSON is not a list either.
        guard let value = try? JSONReader.value(from: text) else { return nil }
        guard let object = value.object else {
            guard let context = value.texts else { return nil }
            (self.context, data) = (context, [])
            return
        }
        guard object.count == 2, let context = object["context"]?.texts, let data = object["data"]?.texts, !data.isEmpty
        else { return nil }
        (self.context, self.data) = (context, data)
    }

    /// The paths as JSON: a list of paths into the context, or an object of two lists, `context` and `data`. `nil` for
    /// the whole context.
    package var text: String? {
        func list(_ paths: [String]) -> JSONValue { .array(paths.map(JSONValue.string)) }
        guard let context else { return nil }
        if data.isEmpty { return JSONWriter.string(list(context)) }
        return JSONWriter.string(JSONValue.object(["context": list(context), "data": list(data)]))
    }
}

extension JSONValue {
    /// The texts of a list; `nil` if the value is not a list of texts.
    fileprivate var texts: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }
}
