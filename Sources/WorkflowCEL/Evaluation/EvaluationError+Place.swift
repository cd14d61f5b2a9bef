extension EvaluationError {
    /// The same error, at this place when it has none yet.
    func at(_ place: Range<Int>) -> EvaluationError {
        if range != nil { return self }
        var error = self
        error.range = place
        return error
    }

    /// The same error, as one of this place: what the host throws may name a place of another text.
    func moved(to place: Range<Int>) -> EvaluationError {
        var error = self
        error.range = place
        return error
    }

    /// Whether `||`, `&&` and the macros must not go on after it.
    var isFinal: Bool { code == .limit }
}
