/// The bounds of a drawing. They keep its time and size small for every machine, also for a hostile one.
package enum DrawingLimits {
    /// The most states of a machine that is drawn. A larger drawing helps nobody; a list of the states does.
    package static let states = 1_000
    /// The most states that are drawn without folding.
    package static let unfoldedStates = 60
    /// The depth from which compound states are folded in machines with more states; the root has depth 0.
    package static let foldedDepth = 2
    /// The same depth in machines whose drawing would be wider than `unfoldedWidth`.
    static let wideFoldedDepth = 1
    /// The widest drawing in pixels of a machine that is folded no further.
    static let unfoldedWidth = 2_400
    /// The most arrows. Transitions between the same two states share one.
    package static let arrows = 4_000
    /// The most arrows to one state in a machine whose arrows would pass too many states. More are told in the boxes.
    static let arrowsToOne = 12
    /// The most nodes of one level: its states, labels, and the places where arrows pass a layer.
    static let nodes = 50_000
    /// The same number in a drawing in which each transition has an arrow.
    static let nodesWithAllArrows = 10_000
    /// The most lines of a label or of a box; a last line has the number of the others.
    static let lines = 12
    /// The most characters of a state's name, an event and a guard in the picture; tooltips have the whole.
    static let name = 40
    static let guardText = 26
    /// The most characters of one line of a tooltip.
    static let tooltip = 500
    /// The sweeps that order the nodes of the layers, and those that place them.
    static let orderingSweeps = 24
    static let placementSweeps = 60
    /// The most steps of work in the sweeps of one level. Large levels get fewer sweeps.
    static let work = 6_000_000
    /// The most horizontal lines between two layers for which all pairs are compared.
    static let comparedLegs = 300
}
