import WorkflowAPI

extension MetricsText {
    /// Adds the counts of requests for the owner of the data.
    mutating func add(_ forwards: ForwardCounts) {
        one(
            "wfd_forwarded_requests_total", "counter", "Requests that were forwarded to the owner of the data.",
            forwards[.forwarded])
        one(
            "wfd_forward_retries_total", "counter", "Forwarded requests that were sent once more.", forwards[.retried])
        begin("wfd_forward_failures_total", "counter", "Forwarded requests that the owner did not answer, by problem.")
        sample("wfd_forward_failures_total", forwards[.moving], [("type", ProblemType.partitionMoving.rawValue)])
        sample("wfd_forward_failures_total", forwards[.unknown], [("type", ProblemType.outcomeUnknown.rawValue)])
    }
}
