extension EffectUse {
    /// The queue that it goes to; nil where an expression gives the host.
    package var queue: String? {
        switch action {
        case .task(let task): EffectRequest.tasks + task.queue
        case .exec(let program): EffectRequest.programs + program.program
        case .http(let call):
            switch call.address {
            case .literal(let url, _): url.origin.queue
            case .computed: nil
            }
        }
    }
}
