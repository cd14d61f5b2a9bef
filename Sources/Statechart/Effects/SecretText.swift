/// The literal value of a header, with the names of secrets in braces: `Bearer {pay_token}`. Only the sender of the
/// request knows the secrets.
package struct SecretText: Sendable, Equatable {
    /// A part of the text.
    package enum Piece: Sendable, Equatable {
        case text(String)
        /// The name of a secret.
        case secret(String)
    }

    package let pieces: [Piece]

    /// Reads the text of a definition, or of a request made from a definition.
    package init(_ text: String) throws(URLMistake) {
        var pieces: [Piece] = []
        var rest = Array(text.unicodeScalars)[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw URLMistake(BracedText.notClosed(Array(text.unicodeScalars), from: open), at: open)
            }
            let name = String(String.UnicodeScalarView(rest[(open + 1)..<close]))
            guard StateName.isValid(name), name.utf8.count <= DefinitionLimits.nameBytes else {
                throw URLMistake("\(name.quoted) cannot be the name of a secret", at: open + 1)
            }
            if open > rest.startIndex { pieces.append(.text(String(String.UnicodeScalarView(rest[..<open])))) }
            pieces.append(.secret(name))
            rest = rest[(close + 1)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(String.UnicodeScalarView(rest)))) }
        self.pieces = pieces
    }

    /// The names of the secrets in the text, in order.
    package var secrets: [String] {
        pieces.compactMap { if case .secret(let name) = $0 { name } else { nil } }
    }
}
