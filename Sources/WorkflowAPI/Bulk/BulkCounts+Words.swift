extension BulkCounts {
    /// Returns the outcomes that occurred with their counts, in words: `(87, "went on")`, `(1, "changed")`.
    package func did(_ verb: BulkAction.Verb) -> [(count: Int64, words: String)] {
        [
            (done, Self.words(verb).did), (failed, "failed\(Self.again(verb))"), (misfit, "did not fit"),
            (refused, "refused"), (changed, Self.changed(verb)), (passedOver, "passed over"),
        ].filter { $0.0 > 0 }
    }

    /// Returns the expected outcomes with their counts, in words: `(88, "would go on")`.
    package func would(_ verb: BulkAction.Verb) -> [(count: Int64, words: String)] {
        [
            (done, Self.words(verb).would), (failed, "would fail\(Self.again(verb))"),
            (misfit, misfit == 1 ? "does not fit" : "do not fit"), (refused, "would be refused"),
            (changed, Self.changed(verb)), (passedOver, "would be passed over"),
        ].filter { $0.0 > 0 }
    }

    /// Returns the words for instances for which a verb was done, or would be.
    private static func words(_ verb: BulkAction.Verb) -> (did: String, would: String) {
        switch verb {
        case .retry, .skip, .resume: ("went on", "would go on")
        case .cancel: ("cancelled", "would be cancelled")
        case .set: ("set", "would be set")
        case .suspend: ("suspended", "would be suspended")
        case .send: ("took it", "would take it")
        case .migrate: ("moved", "would move")
        case .undo: ("put back", "would be put back")
        case .reset: ("reset", "would be reset")
        case .delete: ("deleted", "would be deleted")
        case .redact: ("redacted", "would be redacted")
        }
    }

    private static func changed(_ verb: BulkAction.Verb) -> String { verb == .undo ? "had gone on" : "changed" }

    private static func again(_ verb: BulkAction.Verb) -> String { verb == .retry ? " again" : "" }
}
