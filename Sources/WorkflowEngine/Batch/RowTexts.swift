import Statechart
import WorkflowJSON
import WorkflowStore

/// Encodes the notes and data of rows. A bulk run repeats the same texts in thousands of rows; each is encoded once.
struct RowTexts {
    private var lastNote: (note: RowNote, text: String?)?
    private var lastData: (data: JSONValue, text: String)?

    mutating func text(of note: RowNote?) -> String? {
        guard let note else { return nil }
        if note.run == nil { return note.text }
        if let lastNote, lastNote.note == note { return lastNote.text }
        let text = note.text
        lastNote = (note, text)
        return text
    }

    mutating func data(of event: Event, as kind: Input.Kind) -> String? {
        guard let data = event.data else { return nil }
        if kind != .migrated { return JSONWriter.string(data) }
        if let lastData, lastData.data == data { return lastData.text }
        let text = JSONWriter.string(data)
        lastData = (data, text)
        return text
    }
}
