using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Throttled.Projections;

/// <summary>
/// Configures a projection of a host. What is not configured comes from the host's services: a <see cref="JournalReader"/>, a
/// <see cref="Projections.ReadModelDatabase"/>, and, if registered, an <see cref="ILoggerFactory"/> and a <see cref="TimeProvider"/>.
/// </summary>
public sealed class ProjectionRegistration
{
    private readonly Func<IServiceProvider, ProjectionHandler> _handler;
    private Func<IServiceProvider, JournalReader> _journal;
    private Func<IServiceProvider, ReadModelDatabase> _readModel;
    private Func<IServiceProvider, ProjectionOptions, ProjectionOptions> _options = static (_, options) => options;

    internal ProjectionRegistration(string name, Func<IServiceProvider, ProjectionHandler> handler)
    {
        Name = name;
        _handler = handler;
        _journal = services => services.GetService<JournalReader>() ?? throw Missing(nameof(JournalReader), "SqliteJournal.OpenReader(connectionString)", nameof(WithJournal));
        _readModel = services => services.GetService<ReadModelDatabase>() ?? throw Missing(nameof(ReadModelDatabase), "ReadModelDatabase.Sqlite(dataSource)", nameof(WithReadModel));
    }

    /// <summary>The projection's name.</summary>
    public string Name { get; }

    /// <summary>Sets options. The function is called when the host starts. Several functions are called in the order in which they were added.</summary>
    /// <param name="configure">Returns changed options: <c>options => options with { Lanes = 16 }</c>. It must not change the name.</param>
    public ProjectionRegistration WithOptions(Func<ProjectionOptions, ProjectionOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return WithOptions((_, options) => configure(options));
    }

    /// <summary>
    /// Sets options with the help of the host's services, for example values of an <c>IConfiguration</c>. Otherwise the same as the other overload.
    /// </summary>
    /// <param name="configure">Returns changed options. It must not change the name.</param>
    public ProjectionRegistration WithOptions(Func<IServiceProvider, ProjectionOptions, ProjectionOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        var before = _options;
        _options = (services, options) => configure(services, before(services, options));
        return this;
    }

    /// <summary>Reads a journal that the host's services have under a key.</summary>
    /// <param name="serviceKey">The key of the <see cref="JournalReader"/>.</param>
    public ProjectionRegistration WithJournal(object serviceKey)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return WithJournal(services => services.GetRequiredKeyedService<JournalReader>(serviceKey));
    }

    /// <summary>Reads a journal that a function returns.</summary>
    /// <param name="journal">Returns the journal reader; called once, when the host starts. A reader that it creates itself is not disposed.</param>
    public ProjectionRegistration WithJournal(Func<IServiceProvider, JournalReader> journal)
    {
        ArgumentNullException.ThrowIfNull(journal);
        _journal = journal;
        return this;
    }

    /// <summary>Writes a read model database that the host's services have under a key.</summary>
    /// <param name="serviceKey">The key of the <see cref="Projections.ReadModelDatabase"/>.</param>
    public ProjectionRegistration WithReadModel(object serviceKey)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return WithReadModel(services => services.GetRequiredKeyedService<ReadModelDatabase>(serviceKey));
    }

    /// <summary>Writes a read model database that a function returns.</summary>
    /// <param name="readModel">Returns the database; called once, when the host starts.</param>
    public ProjectionRegistration WithReadModel(Func<IServiceProvider, ReadModelDatabase> readModel)
    {
        ArgumentNullException.ThrowIfNull(readModel);
        _readModel = readModel;
        return this;
    }

    internal Projection Make(IServiceProvider services) =>
        new(JournalOf(services), ReadModelOf(services), HandlerOf(services), OptionsOf(services));

    internal JournalReader JournalOf(IServiceProvider services) => _journal(services);

    internal ReadModelDatabase ReadModelOf(IServiceProvider services) => _readModel(services);

    internal ProjectionHandler HandlerOf(IServiceProvider services) => _handler(services);

    internal ProjectionOptions OptionsOf(IServiceProvider services)
    {
        var options = _options(services, new()
        {
            Name = Name,
            LoggerFactory = services.GetService<ILoggerFactory>(),
            TimeProvider = services.GetService<TimeProvider>() ?? TimeProvider.System,
        });
        return options.Name == Name
            ? options
            : throw new InvalidOperationException($"'Name' is \"{options.Name}\"; it must be \"{Name}\", as the projection was added. Leave it out.");
    }

    private InvalidOperationException Missing(string type, string example, string remedy) => new(
        $"The projection '{Name}' has no {type}: none is registered as a service. Register one, as in 'services.AddSingleton(_ => {example})', or set it with '{remedy}'.");
}
