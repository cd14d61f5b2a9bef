import Foundation

extension Double {
    /// Returns the number with some digits after the point.
    package func text(_ digits: Int) -> String {
        String(format: "%.\(digits)f", self)
    }
}
