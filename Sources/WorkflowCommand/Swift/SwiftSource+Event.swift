import Statechart

extension SwiftSource {
    /// Writes `Event`: names, or cases with data.
    func writeEvent(to writer: inout SwiftWriter) {
        let names = naming.events.map { (name: $0.name, raw: $0.event) }
        // An enum without cases cannot have raw values.
        guard !names.isEmpty else { return writer.line("\(access)typealias Event = NoEvent") }
        guard naming.events.contains(where: { $0.data != nil }) else {
            return writeNames("Event", "MachineEvent", names, to: &writer)
        }
        writer.block("\(access)enum Event: EventValue, Encodable, Hashable") { writer in
            let structures = payloadStructures
            for (event, structures) in zip(naming.events, structures) { writeCase(event, structures, to: &writer) }
            for (event, structures) in zip(naming.events, structures) {
                if case .object(let structure)? = event.data {
                    let keys = structure.fields.map { (name: $0.name, key: $0.key) }
                    writer.codingKeys(SwiftName.capitalized(event.name) + "CodingKeys", keys)
                }
                for structure in structures.compactMap(\.self) { write(structure, to: &writer) }
            }
            writer.line()
            writer.block("\(access)enum Name: String, MachineEvent, CodingKey") { writer in
                for (name, raw) in names { writer.rawCase(name, raw) }
            }
            writer.line("typealias CodingKeys = Name")
        }
    }

    private func writeCase(
        _ event: SwiftNaming.Event, _ structures: [SwiftStructure?], to writer: inout SwiftWriter
    ) {
        let head = "case " + SwiftName.written(event.name)
        switch event.data {
        case nil: writer.line(head)
        case .object(let structure)? where !structure.fields.isEmpty:
            let labels = zip(structure.fields, structures).map { field, structure in
                "\(SwiftName.written(field.name)): \(structure?.name ?? field.type.text)"
                    + (field.type.isOptional ? " = nil" : "")
            }
            writer.list(head + "(", labels, ")")
        // Data without any field is still a map.
        case .object?: writer.line(head + "(JSONValue)")
        case let type?: writer.line(head + "(\(type.text))")
        }
    }

    /// The structs of fields that are maps, by event and field, named after both.
    private var payloadStructures: [[SwiftStructure?]] {
        var used: Set<String> = []
        return naming.events.map { event in
            guard case .object(let structure)? = event.data else { return [] }
            return structure.fields.map { field in
                guard let inner = field.type.structure else { return nil }
                var name = SwiftName.capitalized(event.name) + SwiftName.capitalized(field.name)
                while used.contains(name) || SwiftName.isTaken(type: name) { name += "Value" }
                used.insert(name)
                return SwiftStructure(name: name, fields: inner.fields)
            }
        }
    }
}
