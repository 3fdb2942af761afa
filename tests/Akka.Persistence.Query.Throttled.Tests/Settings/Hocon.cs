using Akka.Configuration;
using Akka.Configuration.Hocon;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>Pieces of HOCON.</summary>
internal static class Hocon
{
    /// <summary>A valid section of a journal, with additional settings.</summary>
    internal static string Journal(string differs = "", string id = ThrottledReadJournal.Identifier) => $$"""
        {{id}} {
          class = "Akka.Persistence.Query.Throttled.ThrottledReadJournalProvider, Akka.Persistence.Query.Throttled"
          connection-string = "Data Source=settings.db"
          provider-name = "SQLite.MS"
          {{differs}}
        }
        """;

    /// <summary>The paths of all values in a section.</summary>
    internal static IEnumerable<string> Leaves(Config config) => Leaves(config.Root, "");

    private static IEnumerable<string> Leaves(HoconValue value, string path) => value.IsObject()
        ? value.GetObject().Items.SelectMany(each => Leaves(each.Value, path.Length == 0 ? each.Key : $"{path}.{each.Key}"))
        : [path];
}
