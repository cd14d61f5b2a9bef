#if YAML

    /// Advice on a mistake that the YAML parser found: the probable intention and its correct spelling.
    enum YAMLAdvice {
        /// Returns the end of a message; empty if there is no advice.
        ///
        /// - Parameters:
        ///   - problem: The parser's message.
        ///   - before: The text from the beginning of the collection to the place where the parser stopped.
        ///   - next: The scalar at the place where the parser stopped.
        static func advice(on problem: String, before: Substring.UnicodeScalarView, next: Unicode.Scalar?) -> String {
            guard problem.hasPrefix("did not find expected") else { return "" }
            if let last = before.last, let next, !next.properties.isWhitespace, let advice = behind(last) {
                return "; \(advice)"
            }
            return hasComment(before)
                ? "; '#' begins a comment: a text that begins with one stands in quotes, as in '#review'" : ""
        }

        /// Returns advice for text after the end of a value.
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
