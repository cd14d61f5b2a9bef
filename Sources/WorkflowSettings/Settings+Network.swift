import WorkflowServer

extension Settings {
    /// Refuses addresses beyond loopback that are not encrypted, or at which no host is allowed.
    func refuseInTheClear(_ addresses: [ListenAddress]) throws {
        for address in addresses where !address.isLocal {
            guard certificate != nil || isInTheClear else {
                throw SettingMistake(
                    "Cannot listen on '\(address)': beyond loopback wfd wants TLS; give --tls-certificate and "
                        + "--tls-key, or --without-tls")
            }
            guard !allowedHosts.isEmpty else {
                throw SettingMistake(
                    "Cannot listen on '\(address)': no request would be answered; name the host that callers use with "
                        + "--allow-host")
            }
        }
    }
}
