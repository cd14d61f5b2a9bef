public import WorkflowJSON

/// Answers in lines: a JSON object in each (NDJSON), sent as soon as it is there.
public enum LineStream {
    /// The media type of such a body.
    public static let mediaType = "application/x-ndjson"
    /// The field of the last line when something went wrong after the first one: `{"problem": {…}}`. The HTTP status
    /// was sent by then.
    public static let problemField = "problem"

    /// The line that says what went wrong.
    public struct ProblemLine: JSONWritable, Sendable {
        public var problem: Problem

        /// Takes the problem as it is.
        public init(_ problem: Problem) {
            self.problem = problem
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in writer.field(LineStream.problemField, problem) }
        }
    }
}
