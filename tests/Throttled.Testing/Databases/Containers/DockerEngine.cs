using System.ComponentModel;
using System.Diagnostics;

namespace Throttled.Testing;

/// <summary>Whether there is a Docker that runs containers.</summary>
internal static class DockerEngine
{
    private static readonly Lazy<string?> Reason = new(() => WhyNot(host: null, TimeSpan.FromSeconds(2)));

    /// <summary>Why none runs containers for this process, as a sentence; null where one does. It is asked once.</summary>
    internal static string? Absence => Reason.Value;

    /// <summary>Asks a Docker whether it is there.</summary>
    /// <param name="host">Where, as <c>DOCKER_HOST</c> has it; what the environment says where null.</param>
    /// <param name="patience">How long it may take to answer.</param>
    /// <returns>Why not, as a sentence; null where it is.</returns>
    internal static string? WhyNot(string? host, TimeSpan patience)
    {
        var start = new ProcessStartInfo("docker", ["version", "--format", "{{.Server.Version}}"]) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (host is not null)
            start.Environment["DOCKER_HOST"] = host;
        try
        {
            using var client = Process.Start(start)!;
            var error = client.StandardError.ReadToEndAsync();
            if (client.WaitForExit(patience))
                return client.ExitCode == 0 ? null : FirstLine(error.Result);
            client.Kill(entireProcessTree: true);
            return FormattableString.Invariant($"Docker did not answer within {patience.TotalSeconds} s.");
        }
        catch (Win32Exception)
        {
            return "There is no docker on the path.";
        }
    }

    private static string FirstLine(string text) => text.Trim().Split('\n')[0].TrimEnd('\r');
}
