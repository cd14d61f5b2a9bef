package import Statechart

/// The drawing of a machine as numbers: places in pixels, from the left and the top.
///
/// The same machine always gives the same scene. `svg` writes it as a picture.
package struct Scene: Sendable {
    /// A point.
    package struct Point: Sendable, Equatable {
        package var x: Int
        package var y: Int

        /// Creates a point.
        package init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }
    }

    /// A rectangle.
    package struct Frame: Sendable, Equatable {
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int

        /// Creates a rectangle.
        package init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }

        /// The first pixel behind the right border.
        package var right: Int { x + width }
        /// The first pixel below the lower border.
        package var bottom: Int { y + height }
    }

    /// The kind of a box.
    package enum Kind: String, Sendable {
        case atomic, compound, parallel, final, history
        case deepHistory = "deep-history"
        /// A compound or parallel state whose inside is not drawn.
        case folded
    }

    /// A line in a box, instead of an arrow.
    package struct Reference: Sendable, Equatable {
        /// The text: `fail → broken`.
        package let text: String
        /// The transitions that the line stands for.
        package let transitions: [TransitionIndex]
    }

    /// A state.
    package struct Box: Sendable {
        package let state: StateIndex
        /// The path of the state; empty for the root.
        package let path: String
        /// The name in the box.
        package let name: String
        /// The frame of the name and the lines below it; no line of an arrow crosses it.
        package let textFrame: Frame
        package let kind: Kind
        package let frame: Frame
        /// The place of the parent among the boxes; `nil` for the root.
        package let parent: Int?
        /// True for a region of a parallel state.
        package let isRegion: Bool
        /// The number of states inside a folded box.
        package let hidden: Int
        /// The height of the strip with the name; 0 for a box without states inside.
        package let head: Int
        /// The effects that last while the state is active.
        package let invocations: [String]
        /// The transitions that have no arrow, because it would pass too many states.
        package let references: [Reference]
        /// The transitions inside a folded box.
        package let hiddenTransitions: [TransitionIndex]
        /// The room for a note; `nil` in a scene without notes, and for states that have none.
        package let noteFrame: Frame?
    }

    /// The dot at which a compound state begins.
    package struct Dot: Sendable {
        /// The path of the compound state.
        package let path: String
        package let center: Point
    }

    /// All transitions between two states.
    package struct Arrow: Sendable {
        /// The state that has the transitions. In a folded box it is the box's state.
        package let source: StateIndex
        package let target: StateIndex
        /// The transitions in document order; empty for an initial arrow and for the default of a history state.
        package let transitions: [TransitionIndex]
        /// True for the default of a history state.
        package let isFallback: Bool
        /// The corners from the source to the target. All lines are horizontal or vertical.
        package let points: [Point]
        package let label: ArrowLabel
        /// The frame of the label; `nil` if there is no label.
        package let labelFrame: Frame?
    }

    /// The machine that is drawn.
    package let machine: Machine
    package let width: Int
    package let height: Int
    /// The states in document order; each is inside of its parent's frame.
    package let boxes: [Box]
    package let dots: [Dot]
    package let arrows: [Arrow]

    /// The choices of a drawing: open states, and room for notes and numbers.
    package struct Options: Hashable, Sendable {
        /// The paths of states that stay open, with those around them.
        package var unfolded: Set<String>
        /// True to leave room for a note in each state.
        package var hasNotes: Bool
        /// True to leave room for a number at each arrow.
        package var hasCounts: Bool

        /// Creates options from their parts.
        package init(unfolded: Set<String> = [], hasNotes: Bool = false, hasCounts: Bool = false) {
            (self.unfolded, self.hasNotes, self.hasCounts) = (unfolded, hasNotes, hasCounts)
        }
    }

    /// Draws a machine.
    ///
    /// In a machine with more than 60 states, compound states from the second level on are folded into a box. If the
    /// drawing is still wider than 2,400 pixels, compound states of the first level are folded too. If arrows would
    /// pass too many states, transitions to a state that many lead to are lines in the boxes.
    package init(of machine: Machine, _ options: Options = Options()) throws(DrawingFailure) {
        var layout = try Self.layout(of: machine, options, depth: DrawingLimits.foldedDepth)
        if machine.states.count > DrawingLimits.unfoldedStates + 1, layout.boxes[0].width > DrawingLimits.unfoldedWidth
        {
            layout = try Self.layout(of: machine, options, depth: DrawingLimits.wideFoldedDepth)
        }
        var assembly = Assembly(layout)
        assembly.run()
        self.machine = machine
        width = assembly.width
        height = assembly.height
        boxes = assembly.boxes
        dots = assembly.dots
        arrows = assembly.arrows
    }

    private static func layout(
        of machine: Machine, _ options: Options, depth: Int
    ) throws(DrawingFailure) -> Layout {
        func layout(refersToCommonTargets: Bool) throws(DrawingFailure) -> Layout {
            var layout = Layout(
                try Chart(machine, options, foldedDepth: depth, refersToCommonTargets: refersToCommonTargets))
            try layout.run()
            return layout
        }
        do throws(DrawingFailure) {
            return try layout(refersToCommonTargets: false)
        } catch .tooManyBends {
            return try layout(refersToCommonTargets: true)
        }
    }
}
