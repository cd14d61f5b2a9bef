import Statechart

/// A state of a document: its element, and its names in the definition.
struct SCXMLState {
    let element: MarkupElement
    let parent: Int?
    fileprivate(set) var children: [Int] = []
    /// The last state of its subtree in document order.
    fileprivate(set) var lastDescendant: Int
    fileprivate(set) var key = ""
    fileprivate(set) var id = ""
    fileprivate(set) var path = ""

    var isHistory: Bool { element.name == "history" }
    /// True if the state has children that can be active.
    fileprivate(set) var isNested = false
    /// True if the definition must declare the state's id.
    var isIDWritten: Bool { id != path }
}

/// The states of a document in order, and their names in the definition.
///
/// The ids of a document are global, while a definition names a state by its path. So a nested state declares its id.
struct SCXMLStates {
    private(set) var states: [SCXMLState] = []
    /// The states without a parent.
    private(set) var top: [Int] = []
    private var byID: [String: Int] = [:]

    /// Collects the states below the root, and notes renamed states.
    init(of root: MarkupElement, _ notes: inout ImportNoteList) {
        for child in root.children where Self.isState(child) { top.append(add(child, parent: nil, &notes)) }
        if top.isEmpty { notes.error("the document has no states", at: root.place) }
        name(&notes)
        placeKeys()
    }

    subscript(index: Int) -> SCXMLState { states[index] }

    /// Returns the index of the state with an id of the document.
    func index(ofID id: String) -> Int? { byID[id] }

    /// The ids of the document.
    var ids: [String] { byID.keys.sorted() }

    /// The names of the states by their ids in the document.
    var names: [String: String] { byID.mapValues { states[$0].id } }

    /// Returns true if a state is another state or below it.
    func isWithin(_ index: Int, _ ancestor: Int) -> Bool {
        ancestor <= index && index <= states[ancestor].lastDescendant
    }

    private static func isState(_ element: MarkupElement) -> Bool {
        ["state", "parallel", "final", "history"].contains(element.name)
    }

    private mutating func add(_ element: MarkupElement, parent: Int?, _ notes: inout ImportNoteList) -> Int {
        let index = states.count
        states.append(SCXMLState(element: element, parent: parent, lastDescendant: index))
        if let id = element.trimmed("id") {
            if let other = byID[id] {
                let line = states[other].element.place.line
                notes.error(
                    "the id \(id.quoted) is also that of the state on line \(line)", at: element.place(of: "id"))
            } else {
                byID[id] = index
            }
        }
        for child in element.children where Self.isState(child) {
            states[index].children.append(add(child, parent: index, &notes))
        }
        states[index].isNested = states[index].children.contains { !states[$0].isHistory }
        states[index].lastDescendant = states.count - 1
        return index
    }

    /// Names the states. Valid ids are kept, other ids get the nearest valid name, and states without an id get a name
    /// of their kind.
    private mutating func name(_ notes: inout ImportNoteList) {
        let isKept = { (id: String) in StateName.isValid(id) && id.utf8.count <= DefinitionLimits.nameBytes }
        var names = UniqueNames(taken: Set(byID.keys.filter(isKept)))
        for index in states.indices {
            let element = states[index].element
            guard let id = element.trimmed("id") else {
                states[index].id = names.numbered(element.name)
                continue
            }
            guard !isKept(id) else {
                states[index].id = id
                continue
            }
            let name = names.name(UniqueNames.stateName(like: id))
            states[index].id = name
            notes.info("the state \(id.quoted) is called '\(name)' here", at: element.place(of: "id"))
        }
    }

    /// Chooses the keys, so that paths are unique and no path is the id of another state.
    private mutating func placeKeys() {
        let ids = Set(states.map(\.id))
        var paths: Set<String> = []
        for index in states.indices {
            let prefix = states[index].parent.map { states[$0].path + "." } ?? ""
            let id = states[index].id
            var key = id
            var number = 2
            while paths.contains(prefix + key) || prefix + key != id && ids.contains(prefix + key) {
                key = "\(id)_\(number)"
                number += 1
            }
            paths.insert(prefix + key)
            states[index].key = key
            states[index].path = prefix + key
        }
    }
}
