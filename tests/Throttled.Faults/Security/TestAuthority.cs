using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Throttled.Faults.Security;

/// <summary>Signs certificates.</summary>
internal sealed class TestAuthority : IDisposable
{
    private static readonly DateTimeOffset From = DateTimeOffset.UnixEpoch.AddYears(50);
    private static readonly DateTimeOffset To = DateTimeOffset.UnixEpoch.AddYears(100);

    private readonly X509Certificate2 _root;
    private byte _serial;

    internal TestAuthority(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true));
        _root = request.CreateSelfSigned(From, To);
    }

    internal string Pem => _root.ExportCertificatePem();

    internal X509Certificate2 Certificate => _root;

    /// <param name="name">The owner of the certificate.</param>
    /// <param name="isExpired">Whether it was valid only in the past.</param>
    internal (string Certificate, string Key) Sign(string name, bool isExpired = false)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        using var certificate = request.Create(_root, From, isExpired ? From.AddYears(1) : To, [1, ++_serial]);
        return (certificate.ExportCertificatePem(), key.ExportPkcs8PrivateKeyPem());
    }

    public void Dispose() => _root.Dispose();
}
