package import WorkflowAPI
import WorkflowJSON

extension WorkflowClient {
    /// Sends a request and returns the lines of its answer as they arrive.
    package func lines<Line: WireObject>(
        _ request: TransportRequest, of type: Line.Type = Line.self
    ) async throws(ClientError) -> AnswerLines<Line> {
        var request = request
        request.accepted = LineStream.mediaType
        let bytes = try await bytes(request, as: LineStream.mediaType)
        return AnswerLines(bytes: bytes, address: address, longest: limits.lineBytes)
    }

    /// Sends a request and returns the bytes of its answer as they arrive; refuses an answer of another media type.
    package func bytes(_ request: TransportRequest, as mediaType: String) async throws(ClientError) -> AnswerBytes {
        let answer = try await transport.stream(request)
        guard (200..<300).contains(answer.status) else { throw failure(try await whole(answer)) }
        guard answer.mediaType == mediaType else {
            throw .protocolViolation(address, reason: "it is '\(answer.mediaType ?? "")', not '\(mediaType)'")
        }
        return answer.body
    }

    /// Reads a short answer to its end.
    private func whole(_ answer: StreamedAnswer) async throws(ClientError) -> TransportAnswer {
        var body: [UInt8] = []
        do {
            for try await part in answer.body {
                body += part
                guard body.count <= limits.answerBytes else {
                    throw ClientError.protocolViolation(
                        address, reason: "it is longer than \(limits.answerBytes) bytes")
                }
            }
        } catch let error as ClientError {
            throw error
        } catch {
            throw .protocolViolation(address, reason: "\(error)")
        }
        return TransportAnswer(status: answer.status, mediaType: answer.mediaType, body: body)
    }
}
