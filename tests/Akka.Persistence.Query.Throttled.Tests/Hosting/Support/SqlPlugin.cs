using Akka.Hosting;
using Akka.Persistence.Sql;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

/// <summary>Akka.Persistence.Sql as the write plugin of an application.</summary>
internal sealed record SqlPlugin(string ConnectionString, string ProviderName)
{
    internal string Identifier { get; init; } = "sql";

    internal bool IsDefault { get; init; } = true;

    internal string TableMapping { get; init; } = "default";

    internal string TagMode { get; init; } = "TagTable";

    /// <summary>Whether <see cref="RedTagger"/> tags events that are strings.</summary>
    internal bool TagsTexts { get; init; }

    internal AkkaConfigurationBuilder ConfigureByHocon(AkkaConfigurationBuilder builder)
    {
        var path = $"akka.persistence.journal.{Identifier}";
        if (IsDefault)
            builder.AddHocon($"akka.persistence.journal.plugin = {path}", HoconAddMode.Prepend);
        if (TagsTexts)
        {
            builder.AddHocon(
                $$"""
                {{path}} {
                  event-adapters.red = "{{typeof(RedTagger).AssemblyQualifiedName}}"
                  event-adapter-bindings { "System.String" = red }
                }
                """,
                HoconAddMode.Prepend);
        }
        return builder
            .AddHocon(
                $$"""
                {{path}} {
                  class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
                  connection-string = "{{ConnectionString}}"
                  provider-name = "{{ProviderName}}"
                  table-mapping = {{TableMapping}}
                  tag-write-mode = {{TagMode}}
                }
                """,
                HoconAddMode.Prepend)
            .AddHocon(SqlPersistence.DefaultConfiguration, HoconAddMode.Append);
    }
}
