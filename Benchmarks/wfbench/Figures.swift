import EngineFloor

/// Every line of the table, in its order.
enum Figures {
    static let all =
        EngineFigures.figures + HTTPFigures.figures + LineFigures.figures + LatencyFigures.figures
        + TaskFigures.figures + EffectFigures.figures + CommandFigures.figures + StepFigures.figures
        + LibraryFigures.figures + ReplayFigures.figures + StreamFigures.figures

    /// Those whose ids begin with one of these, or all.
    static func selected(_ only: [String], isQuick: Bool) throws -> [Figure] {
        for prefix in only where !all.contains(where: { $0.matches(prefix) }) {
            throw BenchmarkError("there is no figure '\(prefix)'; --list names them")
        }
        return all.filter { figure in
            only.isEmpty ? figure.isQuick || !isQuick : only.contains(where: figure.matches)
        }
    }
}

extension Figure {
    /// Whether this is its id, or the id's first parts.
    func matches(_ prefix: String) -> Bool {
        id == prefix || id.hasPrefix(prefix + ".")
    }
}
