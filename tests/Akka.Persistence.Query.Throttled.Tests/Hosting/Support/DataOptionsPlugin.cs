using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence.Sql;
using Akka.Persistence.Sql.Config;
using LinqToDB;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting.Support;

/// <summary>Akka.Persistence.Sql, configured as <c>WithSqlPersistence(dataOptions)</c> of its hosting package does.</summary>
internal static class DataOptionsPlugin
{
    /// <param name="builder">The builder.</param>
    /// <param name="options">The options of its connections.</param>
    /// <param name="identifier">The last part of the plugin's id.</param>
    /// <param name="settings">Further settings.</param>
    internal static AkkaConfigurationBuilder WithSqlPersistence(
        this AkkaConfigurationBuilder builder, DataOptions options, string identifier = "sql", string settings = "")
    {
        var path = $"akka.persistence.journal.{identifier}";
        var setup = builder.Setups.OfType<MultiDataOptionsSetup>().FirstOrDefault();
        if (setup is null)
            builder.AddSetup(setup = new());
        setup.AddDataOptions(path, options);
        setup.AddDataOptions($"akka.persistence.query.journal.{identifier}", options);
        return builder
            .AddHocon($"{path} {{\nplugin-id = \"{path}\"\nauto-initialize = on\n{settings}\n}}", HoconAddMode.Prepend)
            .AddHocon(identifier == "sql" ? $"akka.persistence.journal.plugin = {path}" : "", HoconAddMode.Prepend)
            .AddHocon(SqlPersistence.DefaultJournalConfiguration.MoveTo(path), HoconAddMode.Append);
    }

    /// <summary>Lets an entity of the application persist an event.</summary>
    internal static async Task PersistAsync(this TestApp app, string persistenceId) => Assert.Equal(
        "done", await app.System.ActorOf(Props.Create(() => new Writer(persistenceId))).Ask<string>("done").WithinAsync("an event is written"));

    private sealed class Writer : ReceivePersistentActor
    {
        public Writer(string id)
        {
            PersistenceId = id;
            Command<string>(text => Persist(text, Sender.Tell));
        }

        public override string PersistenceId { get; }
    }
}
