import EngineFloor

/// The lines of the table, in their order.
enum Figures {
    static let all =
        EngineFigures.figures + HTTPFigures.figures + AccessFigures.figures + LineFigures.figures
        + LatencyFigures.figures + TaskFigures.figures + EffectFigures.figures + CommandFigures.figures
        + StepFigures.figures + LibraryFigures.figures + ReplayFigures.figures + StreamFigures.figures
        + ConsoleFigures.figures + PostgresFigures.figures

    /// Returns the figures whose ids begin with one of these texts. Without texts, returns those of the store in a
    /// file, or those of the store on PostgreSQL.
    static func selected(_ only: [String], isQuick: Bool, ofPostgres: Bool) throws -> [Figure] {
        for prefix in only where !all.contains(where: { $0.matches(prefix) }) {
            throw BenchmarkError("there is no figure '\(prefix)'; --list names them")
        }
        return all.filter { figure in
            guard only.isEmpty else { return only.contains(where: figure.matches) }
            return figure.needsPostgres == ofPostgres && (figure.isQuick || !isQuick)
        }
    }
}

extension Figure {
    /// Returns true if the text is the figure's id, or the first parts of the id.
    func matches(_ prefix: String) -> Bool {
        id == prefix || id.hasPrefix(prefix + ".")
    }

    /// True if the figure needs PostgreSQL on this machine.
    var needsPostgres: Bool { matches(PostgresFigures.prefix) }
}
