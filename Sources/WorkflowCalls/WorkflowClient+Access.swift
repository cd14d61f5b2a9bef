public import WorkflowAPI

extension WorkflowClient {
    /// Returns the caller as the daemon sees it: its actor, roles and permissions.
    public func whoami() async throws(ClientError) -> Whoami {
        try await get(TransportRequest(.whoami))
    }

    /// Returns a code with which a browser begins a session of this caller in the console, once.
    public func createSession() async throws(ClientError) -> SessionCode {
        try await get(TransportRequest(.createSession))
    }

    /// Returns the tokens, in the order of their names and without their secrets.
    public func tokens() async throws(ClientError) -> Page<TokenItem> {
        try await get(TransportRequest(.listTokens))
    }

    /// Creates a token. Only this answer has the token itself.
    public func createToken(_ request: CreateTokenRequest) async throws(ClientError) -> TokenItem {
        try await post(request, by: TransportRequest(.createToken))
    }

    /// Gives a token a new secret. Only this answer has the token itself.
    public func rotateToken(_ name: String, _ request: RotateTokenRequest) async throws(ClientError) -> TokenItem {
        try await post(request, by: TransportRequest(.rotateToken, name))
    }

    /// Revokes a token: on return nobody is known by it, and every request that it had open has ended.
    public func revokeToken(_ name: String) async throws(ClientError) -> TokenItem {
        try await get(TransportRequest(.revokeToken, name))
    }
}
