package import Statechart

extension Scene {
    /// Writes the scene as SVG. The same scene and states always give the same bytes.
    ///
    /// Each state is a `g` of the class `state` with `data-state`, its path. Each arrow is a `g` of the class
    /// `transition` with `data-source`, `data-target`, and the numbers and lines of its transitions in
    /// `data-transitions` and `data-lines`. A line in a box that stands for transitions without an arrow has their
    /// numbers too. So a page can set `active` and `taken` without a new picture.
    ///
    /// - Parameters:
    ///   - active: The active states, which have the class `active`.
    ///   - taken: The transitions that were taken; their arrows and lines have the class `taken`.
    ///   - notes: The notes of states, for a scene with room for them.
    ///   - counting: Returns the number for some transitions, for a scene with room for it; `nil` draws no numbers.
    ///   - opening: Returns the address that shows a folded state open; `nil` draws no links.
    package func svg(
        active: Set<StateIndex> = [], taken: Set<TransitionIndex> = [], notes: [StateIndex: SceneNote] = [:],
        counting: (([TransitionIndex]) -> SceneCount)? = nil, opening: ((Box) -> String)? = nil,
        style: SVGStyle = .embedded
    ) -> String {
        var writer = SVGWriter(self, active: active, taken: taken, counting: counting, style: style)
        return writer.picture(notes: notes, opening: opening)
    }
}
