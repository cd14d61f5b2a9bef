import ArgumentParser

/// `wfctl token` and its verbs.
struct TokenVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create, list, rotate and revoke the tokens by which programs call wfd.",
        discussion: """
            $ wfctl token create shop --role send,work --expires 90d
            $ wfctl token rotate shop --overlap 1h
            $ wfctl token revoke shop

            A program sends its token with each request: 'Authorization: Bearer wfdt_…'. History rows name it \
            'token:NAME'.
            """,
        subcommands: [CreateToken.self, ListTokens.self, RotateToken.self, RevokeToken.self]
    )
}
