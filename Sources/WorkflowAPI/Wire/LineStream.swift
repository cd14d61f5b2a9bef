public import WorkflowJSON

/// Answers in the form of lines, each a JSON object (NDJSON), sent immediately.
public enum LineStream {
    /// The media type of such a body.
    public static let mediaType = "application/x-ndjson"
    /// The field of the last line if an error occurs after the first line: `{"problem": {…}}`. The HTTP status was sent
    /// before.
    public static let problemField = "problem"

    /// The line that reports an error.
    public struct ProblemLine: JSONWritable, Sendable {
        public var problem: Problem

        /// Creates a line with a problem.
        public init(_ problem: Problem) {
            self.problem = problem
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in writer.field(LineStream.problemField, problem) }
        }
    }
}
