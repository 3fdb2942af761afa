using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Security;

/// <summary>A server that accepts only encrypted connections, with a journal. The first test that needs it starts it.</summary>
public sealed class TlsServer : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-tls-");
    private readonly TestAuthority _authority = new("Authority of the tests");
    private readonly TestAuthority _other = new("Another authority");
    private readonly Lazy<PostgreSqlServer> _server;
    private readonly Lazy<Task<PostgreSqlJournalUnderTest>> _journal;

    public TlsServer()
    {
        _server = new(Start);
        _journal = new(CreateAsync);
    }

    /// <summary>The certificate of the authority that signed the server's certificate.</summary>
    internal string RootFile => FileOf("root.crt", _authority.Pem);

    /// <summary>The certificate of another authority.</summary>
    internal string WrongRootFile => FileOf("wrong.crt", _other.Pem);

    internal System.Security.Cryptography.X509Certificates.X509Certificate2 Root => _authority.Certificate;

    internal Task<PostgreSqlJournalUnderTest> JournalAsync() => _journal.Value;

    /// <summary>A client's certificate and key.</summary>
    internal (string Certificate, string Key) ClientFiles(string name)
    {
        var (certificate, key) = _authority.Sign(name);
        return (FileOf($"{name}.crt", certificate), FileOf($"{name}.key", key));
    }

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
        _authority.Dispose();
        _other.Dispose();
        _directory.Delete(recursive: true);
    }

    private PostgreSqlServer Start()
    {
        var (certificate, key) = _authority.Sign("127.0.0.1");
        return PostgreSqlServer.Start(tls: new(certificate, key, _authority.Pem));
    }

    private async Task<PostgreSqlJournalUnderTest> CreateAsync()
    {
        var journal = await PostgreSqlHost.CreateAsync(_server.Value);
        await journal.AppendAsync("a", 1, 3);
        return journal;
    }

    private string FileOf(string name, string text)
    {
        var file = Path.Combine(_directory.FullName, name);
        File.WriteAllText(file, text);
        return file;
    }
}
