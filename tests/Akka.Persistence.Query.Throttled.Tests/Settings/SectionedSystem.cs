using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>One actor system with a section for each of many cases, instead of one system for each case.</summary>
public abstract class SectionedSystem : IDisposable
{
    private readonly Dictionary<string, string> _ids;
    private readonly ConfiguredSystem _system;

    /// <param name="cases">The settings of each section.</param>
    protected SectionedSystem(IEnumerable<string> cases)
    {
        _ids = cases.Distinct().Index().ToDictionary(each => each.Item, each => $"journals.of-case-{each.Index}");
        _system = new(string.Join('\n', _ids.Select(each => Hocon.Journal(each.Key, each.Value))));
    }

    public void Dispose() => _system.Dispose();

    internal string IdOf(string differs) => _ids[differs];

    internal ConfigurationException Refusal(string differs) => _system.Refusal(IdOf(differs));

    internal JournalSettings Read(string differs) => _system.Read(IdOf(differs));
}
