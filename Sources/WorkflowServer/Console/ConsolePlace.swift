/// An address on which the console is served.
struct ConsolePlace: Sendable {
    /// The address, with its port.
    let address: ListenAddress
    let isEncrypted: Bool
    /// The names that requests may have beside the address.
    let hosts: FurtherHosts

    /// The console's URL as a browser writes it.
    var url: String {
        guard case .tcp(let host, let port) = address else { return "" }
        // A browser cannot go to "every address", and a certificate has names.
        let isEvery = host == "0.0.0.0" || host == "::"
        let named = isEvery || isEncrypted ? hosts.texts.sorted().first : nil
        let name = named ?? (isEvery ? "localhost" : host.contains(":") ? "[\(host)]" : host)
        return "\(isEncrypted ? "https" : "http")://\(name):\(port)/console/"
    }
}
