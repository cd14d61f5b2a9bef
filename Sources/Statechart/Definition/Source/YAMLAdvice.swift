#if YAML

    /// Advice on a mistake that the YAML reader found: what was probably meant, and how it is written.
    enum YAMLAdvice {
        /// The end of a message; empty where nothing is known.
        ///
        /// - Parameters:
        ///   - problem: The reader's words.
        ///   - before: The text from where the collection begins up to where the reader stops.
        ///   - next: The scalar there.
        static func advice(on problem: String, before: Substring.UnicodeScalarView, next: Unicode.Scalar?) -> String {
            guard problem.hasPrefix("did not find expected") else { return "" }
            if let last = before.last, let next, !next.properties.isWhitespace, let advice = behind(last) {
                return "; \(advice)"
            }
            return hasComment(before)
                ? "; '#' begins a comment: a text that begins with one stands in quotes, as in '#review'" : ""
        }

        /// Advice where text follows the end of a value.
        private static func behind(_ end: Unicode.Scalar) -> String? {
            switch end {
            case "}":
                "what begins with '{' is a map: write an expression without braces, as in context.url + '/x', "
                    + #"and a url in quotes, as in "https://example.org/{context.id}""#
            case "]": #"what begins with '[' is a list: write quotes around all of it, as in "[1, 2].size()""#
            case "'", "\"":
                #"what begins with a quote ends with it: write quotes around all of it, as in "'%d'.format([1])""#
            default: nil
            }
        }

        private static func hasComment(_ text: Substring.UnicodeScalarView) -> Bool {
            zip(text, text.dropFirst()).contains { before, scalar in
                scalar == "#" && (before.properties.isWhitespace || ["[", "{", ","].contains(before))
            }
        }
    }

#endif
