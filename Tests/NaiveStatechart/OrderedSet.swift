/// The `OrderedSet` of SCXML, Appendix D: a list in the order in which its members were added.
struct OrderedSet<Element: Equatable> {
    private var members: [Element] = []

    var isEmpty: Bool { members.isEmpty }

    mutating func add(_ element: Element) {
        if !isMember(element) { members.append(element) }
    }

    mutating func delete(_ element: Element) {
        members.removeAll { $0 == element }
    }

    mutating func union(_ other: OrderedSet) {
        for element in other.members { add(element) }
    }

    mutating func clear() {
        members = []
    }

    func isMember(_ element: Element) -> Bool { members.contains(element) }

    func some(_ condition: (Element) -> Bool) -> Bool { members.contains(where: condition) }

    func every(_ condition: (Element) -> Bool) -> Bool { members.allSatisfy(condition) }

    func hasIntersection(_ other: OrderedSet) -> Bool { members.contains(where: other.isMember) }

    func toList() -> [Element] { members }
}
