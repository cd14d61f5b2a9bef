package import Testing

extension Tag {
    /// Marks suites that kill, cut, edit and fail again and again. `make rest` runs them one after another, so that
    /// they do not take each other's time; `.ci/tagged.sh` finds them.
    @Tag package static var heavy: Self
}
