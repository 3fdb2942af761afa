namespace Throttled.Testing;

/// <summary>The certificates of a server that refuses unencrypted connections. All texts are PEM.</summary>
/// <param name="Certificate">The server's certificate.</param>
/// <param name="Key">Its private key.</param>
/// <param name="Authority">The certificate of the authority that signs clients' certificates.</param>
public sealed record PostgreSqlTls(string Certificate, string Key, string Authority)
{
    /// <summary>A user who must present a certificate of that name and needs no password. The test must create the role.</summary>
    public const string CertifiedUser = "certified";

    private const string Access =
        $"""
        hostssl all {CertifiedUser} 127.0.0.1/32 cert
        hostssl all all 127.0.0.1/32 scram-sha-256
        """;

    internal IEnumerable<KeyValuePair<string, string>> Settings(string directory) =>
    [
        new("ssl", "on"),
        new("ssl_cert_file", Path.Combine(directory, "server.crt")),
        new("ssl_key_file", Path.Combine(directory, "server.key")),
        new("ssl_ca_file", Path.Combine(directory, "root.crt")),
    ];

    // The server refuses a key file that other users may read.
    internal void Write(string directory)
    {
        File.WriteAllText(Path.Combine(directory, "server.crt"), Certificate);
        File.WriteAllText(Path.Combine(directory, "root.crt"), Authority);
        var key = Path.Combine(directory, "server.key");
        File.WriteAllText(key, Key);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(key, UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    internal static void WriteAccess(string data) => File.WriteAllText(Path.Combine(data, "pg_hba.conf"), Access + "\n");
}
