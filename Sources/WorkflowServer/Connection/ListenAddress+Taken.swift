import Foundation

extension ListenAddress {
    /// Refuses addresses of which two are the same; each port 0 counts as different.
    package static func refuseRepeated(_ addresses: [ListenAddress]) throws(ListenAddressError) {
        for (place, address) in addresses.enumerated() {
            if case .tcp(_, 0) = address { continue }
            if addresses[..<place].contains(address) { throw ListenAddressError("\(address)", "it is named twice") }
        }
    }

    /// Refuses an address that is in use, before wfd creates anything that another daemon would not want.
    ///
    /// Another process can still take the address afterwards; then binding fails.
    package func refuseTaken() throws(ListenAddressError) {
        switch self {
        case .unix(let path): _ = try UnixSocketFile(path: path)
        // The system chooses a free port.
        case .tcp(_, 0): return
        // Proof: the port was read as 16 bits.
        case .tcp(let host, let port): try tryBinding(host, UInt16(port))
        }
    }

    private func tryBinding(_ host: String, _ port: UInt16) throws(ListenAddressError) {
        let family = host.contains(":") ? AF_INET6 : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        // Without a descriptor this function cannot tell; binding will.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The server sets the same option: a port whose last connections have just ended is free.
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let code = family == AF_INET6 ? tryIt(six(host, port), descriptor) : tryIt(four(host, port), descriptor)
        if code == EADDRINUSE { throw ListenAddressError("\(self)", String(cString: strerror(code))) }
    }

    private func four(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    private func six(_ host: String, _ port: UInt16) -> sockaddr_in6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, host, &address.sin6_addr)
        return address
    }

    /// Returns the error code of an address that cannot be bound; 0 if it can.
    private func tryIt<Address>(_ address: Address, _ descriptor: CInt) -> CInt {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<Address>.size)) == 0 ? 0 : errno
            }
        }
    }
}
