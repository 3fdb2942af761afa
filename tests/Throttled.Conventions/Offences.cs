namespace Throttled.Conventions;

/// <summary>Fails with each offence on its own line, so one run shows all of them.</summary>
internal static class Offences
{
    internal static void None(string rule, IEnumerable<string> offences)
    {
        var found = offences.ToList();
        if (found.Count > 0)
            Assert.Fail($"{rule}{Environment.NewLine}  {string.Join(Environment.NewLine + "  ", found)}");
    }
}
