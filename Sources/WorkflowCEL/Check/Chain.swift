/// A name and the fields behind it: `event.data.ok`, `context['total'].net`.
struct Chain {
    /// One field.
    struct Link {
        let field: Syntax.Field
        /// Written after a point, not in brackets: may be part of a qualified name.
        let isName: Bool
        /// Of everything up to here.
        let range: Range<Int>
        /// Of everything before.
        let ownerRange: Range<Int>
    }

    let name: String
    let isAbsolute: Bool
    let range: Range<Int>
    let links: [Link]

    /// Nil for what does not begin with a name.
    init?(_ syntax: Syntax) {
        var links: [Link] = []
        var rest = syntax
        while true {
            switch rest.kind {
            case .name(let name, let isAbsolute):
                self.name = name
                self.isAbsolute = isAbsolute
                range = rest.range
                self.links = links.reversed()
                return
            case .select(let operand, let field, isOptional: false):
                links.append(Link(field: field, isName: true, range: rest.range, ownerRange: operand.range))
                rest = operand
            case .index(let operand, let index, isOptional: false):
                guard case .literal(.string(let key)) = index.kind else { return nil }
                let field = Syntax.Field(name: key, range: index.range)
                links.append(Link(field: field, isName: false, range: rest.range, ownerRange: operand.range))
                rest = operand
            default: return nil
            }
        }
    }

    /// The parts that may be one qualified name.
    var path: [String] { [name] + links.prefix(while: \.isName).map(\.field.name) }
}
