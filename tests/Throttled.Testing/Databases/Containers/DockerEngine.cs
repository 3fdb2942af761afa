using System.ComponentModel;
using System.Diagnostics;

namespace Throttled.Testing;

/// <summary>Checks for a Docker that can run containers.</summary>
internal static class DockerEngine
{
    private static readonly Lazy<string?> Reason = new(() => WhyNot(host: null, TimeSpan.FromSeconds(2)));

    /// <summary>Why Docker cannot run containers for this process, as a sentence; null if it can. Checked once.</summary>
    internal static string? Absence => Reason.Value;

    /// <param name="host">Its address, written as in <c>DOCKER_HOST</c>; null for the environment's.</param>
    /// <param name="timeout">The longest wait for an answer.</param>
    /// <returns>Why Docker does not answer, as a sentence; null if it answers.</returns>
    internal static string? WhyNot(string? host, TimeSpan timeout)
    {
        var start = new ProcessStartInfo("docker", ["version", "--format", "{{.Server.Version}}"]) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (host is not null)
            start.Environment["DOCKER_HOST"] = host;
        try
        {
            using var client = Process.Start(start)!;
            var error = client.StandardError.ReadToEndAsync();
            if (client.WaitForExit(timeout))
                return client.ExitCode == 0 ? null : FirstLine(error.Result);
            client.Kill(entireProcessTree: true);
            return FormattableString.Invariant($"Docker did not answer within {timeout.TotalSeconds} s.");
        }
        catch (Win32Exception)
        {
            return "There is no docker on the path.";
        }
    }

    private static string FirstLine(string text) => text.Trim().Split('\n')[0].TrimEnd('\r');
}
