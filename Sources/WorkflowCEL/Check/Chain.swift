/// A name and the fields that follow it: `event.data.ok`, `context['total'].net`.
struct Chain {
    /// A field of the chain.
    struct Link {
        let field: Syntax.Field
        /// True if the field follows a point and not in brackets: it may be part of a qualified name.
        let isName: Bool
        /// The range of the chain up to and including this field.
        let range: Range<Int>
        /// The range of the chain before this field.
        let ownerRange: Range<Int>
    }

    let name: String
    let isAbsolute: Bool
    let range: Range<Int>
    let links: [Link]

    /// Creates the chain of an expression; `nil` if the expression does not begin with a name.
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
