/// A token by which its caller is found again, without the secret itself.
package struct TokenMark: Sendable {
    /// The identifier of the token.
    package let id: String
    let digest: SecretDigest
}
