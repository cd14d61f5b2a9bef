/// The part of an arrow in one level, from its upper to its lower end.
struct LevelLine {
    /// An end of a line.
    enum End: Equatable {
        case child(Int)
        /// The container's border: the upper one for an upper end, the lower one for a lower end.
        case border
        /// The dot with which the container begins.
        case dot
    }

    /// The place of a part in its arrow.
    enum Role {
        /// The part in the level to which the arrow belongs; it has the label.
        case home
        /// A part inside the home's child that has the source, or the target.
        case source, target
    }

    let arrow: Int
    private(set) var upper: End
    private(set) var lower: End
    var role = Role.home
    /// True if the arrow runs from the lower to the upper end.
    var isReversed = false
    /// True for an arrow between two regions: it leaves the one below and enters the other from above.
    var turns = false

    init(arrow: Int, upper: End, lower: End) {
        self.arrow = arrow
        self.upper = upper
        self.lower = lower
    }

    /// Exchanges the ends.
    mutating func reverse() {
        (upper, lower) = (lower, upper)
        isReversed.toggle()
    }
}
