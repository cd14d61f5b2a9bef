#if YAML

    import Yams

    /// A YAML text prepared for Yams, which stops at the first duplicate key.
    ///
    /// To find further duplicates, the duplicate key gets a unique tag, so that Yams reads it as another key. Then the
    /// text is parsed again. Positions are reported for the text as written.
    struct YAMLText {
        /// A tag that was inserted into the text.
        private struct Mark {
            let line: Int
            /// The column in the text with all inserted tags.
            var column: Int
            let length: Int
        }

        private var text: String
        private var marks: [Mark] = []
        /// The end of the text as written; `nil` if the text was not padded.
        private let end: SourcePosition?

        /// Creates a text for Yams from a text as written.
        init(_ text: String) {
            // Yams keeps a pointer to the string's storage. Only strings longer than 15 bytes have separate storage.
            let padding = max(0, 16 - text.utf8.count)
            let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            end = padding == 0 ? nil : SourcePosition(line: lines.count, column: (lines.last?.count ?? 0) + 1)
            self.text = text + String(repeating: "\n", count: padding)
            self.text.makeContiguousUTF8()
        }

        /// Returns the tree that Yams reads, and the parser, which must live while the tree is used.
        mutating func parsed() throws(DefinitionError) -> (root: Node, parser: Parser) {
            var duplicates = DiagnosticList()
            while true {
                do {
                    let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
                    guard let root = try parser.singleRoot() else { throw DefinitionError("the definition is empty") }
                    return (root, parser)
                } catch let error as YamlError {
                    let mistake = mistake(of: error)
                    guard case .duplicatedKeysInMapping(_, let context) = error else {
                        throw duplicates.errors.isEmpty ? mistake : DefinitionError(diagnostics: duplicates.told)
                    }
                    duplicates.add(mistake)
                    guard duplicates.errors.count * text.utf8.count <= DefinitionLimits.rereadBytes else {
                        throw DefinitionError(diagnostics: duplicates.told)
                    }
                    mark(line: context.mark.line, column: context.mark.column)
                } catch {
                    throw error as? DefinitionError ?? DefinitionError("not valid YAML")
                }
            }
        }

        /// Returns the position of a node in the text as written.
        func position(of mark: Yams.Mark?) -> SourcePosition {
            guard let mark else { return .start }
            let before = marks.filter { $0.line == mark.line && $0.column < mark.column }
            let column = mark.column - before.reduce(0) { $0 + $1.length }
            let position = SourcePosition(line: mark.line, column: column)
            return end.map { min(position, $0) } ?? position
        }

        /// Returns true if `YAMLText` inserted the node's tag.
        func isMarked(_ mark: Yams.Mark?) -> Bool {
            marks.contains { $0.line == mark?.line && $0.column == mark?.column }
        }

        private mutating func mark(line: Int, column: Int) {
            let tag = "!wfd-\(marks.count) "
            let length = tag.unicodeScalars.count
            for index in marks.indices where marks[index].line == line && marks[index].column >= column {
                marks[index].column += length
            }
            text.unicodeScalars.insert(contentsOf: tag.unicodeScalars, at: index(line: line, column: column))
            text.makeContiguousUTF8()
            marks.append(Mark(line: line, column: column, length: length))
        }

        /// Returns the index of a line and column, with YAML's line breaks (yaml.org/spec/1.1, 4.2, as in libyaml).
        private func index(line: Int, column: Int) -> String.Index {
            let scalars = text.unicodeScalars
            var index = scalars.startIndex
            var current = 1
            while current < line, index < scalars.endIndex {
                let scalar = scalars[index]
                index = scalars.index(after: index)
                switch scalar {
                case "\r" where index < scalars.endIndex && scalars[index] == "\n": break
                case "\r", "\n", "\u{85}", "\u{2028}", "\u{2029}": current += 1
                default: break
                }
            }
            return scalars.index(index, offsetBy: column - 1, limitedBy: scalars.endIndex) ?? scalars.endIndex
        }
    }

    extension YAMLText {
        /// Returns an error of Yams as a definition error, with a better message if one is known.
        private func mistake(of error: YamlError) -> DefinitionError {
            switch error {
            case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
                return DefinitionError(message(context, problem, mark), at: position(of: mark))
            case .composer(_, let problem, let mark, _):
                let message =
                    problem.contains("another document")
                    ? "the text must be one YAML document; another one begins here"
                    : "anchors and aliases are not supported; a text that begins with '*' must stand in quotes"
                return DefinitionError(message, at: position(of: mark))
            case .reader(let problem, let offset, _, _):
                let before = text.prefix(offset ?? 0).unicodeScalars
                let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
                let position = SourcePosition(line: lines.count, column: (lines.last?.count ?? 0) + 1)
                return DefinitionError("not valid YAML: \(problem)", at: position)
            case .duplicatedKeysInMapping(let keys, let context):
                let key = (keys.first ?? "").quoted
                return DefinitionError("the key \(key) stands twice in one map", at: position(of: context.mark))
            default:
                return DefinitionError("not valid YAML: \(error)", at: .start)
            }
        }

        private func message(_ context: YamlError.Context?, _ problem: String, _ mark: Yams.Mark) -> String {
            if problem.hasPrefix("Maximum nesting level") { return SourceNode.tooDeep }
            let place = index(line: mark.line, column: mark.column)
            let found = text.unicodeScalars[place...].first
            if problem.hasPrefix("found character that cannot start any token"), let found {
                return found == "\t"
                    ? "not valid YAML: a tab cannot indent; use spaces"
                    : "not valid YAML: text cannot begin with '\(found)' outside of quotes"
            }
            if context?.text.contains("alias") == true { return "not valid YAML: '*' must stand in quotes" }
            let begin = context.map { min(place, index(line: $0.mark.line, column: $0.mark.column)) } ?? place
            let advice = YAMLAdvice.advice(
                on: problem, before: text.unicodeScalars[begin..<place], next: found)
            let collection = context.map { "\($0.text) that begins on line \($0.mark.line), " } ?? ""
            return "not valid YAML: \(collection)\(problem)\(advice)"
        }
    }

#endif
