extension EffectUse {
    /// The queue of the effect; `nil` if an expression computes the host.
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
