/// The bounds that server and client agree on.
public enum APILimits {
    /// Characters of an instance's name: long enough for a URL or two UUIDs.
    public static let instanceNameLength = 200
    /// Items of a page when nobody says how many.
    public static let defaultPageItems = 100
    /// Items of a page at most, so that one page is read in one slice of the store.
    public static let largestPageItems = 500
    /// Bytes of a request's body at most: what a definition or an event's data may need, and one batch can hold.
    public static let bodyBytes = 1 << 20
    /// Seconds for which a request for history may wait for a new row; below the idle timeouts of usual proxies.
    public static let longestWaitSeconds = 60
}
