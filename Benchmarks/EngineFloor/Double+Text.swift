import Foundation

extension Double {
    /// With so many digits behind the point.
    package func text(_ digits: Int) -> String {
        String(format: "%.\(digits)f", self)
    }
}
