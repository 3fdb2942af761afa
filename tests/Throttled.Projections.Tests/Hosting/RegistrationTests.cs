using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Hosting;

/// <summary>The services and options that a hosted projection uses.</summary>
public sealed class RegistrationTests : IAsyncLifetime
{
    private readonly HostedFiles _files = new();
    private readonly ServiceCollection _services = [];
    private readonly Dictionary<string, ProjectionRegistration> _added = [];
    private JournalReader _journal = null!;
    private ReadModelDatabase _readModel = null!;

    public Task InitializeAsync()
    {
        (_journal, _readModel) = (_files.OpenJournal(), _files.OpenReadModel());
        return Task.CompletedTask;
    }

    public async Task DisposeAsync()
    {
        await _journal.DisposeAsync();
        _files.Delete();
    }

    [Fact]
    public async Task Options_that_are_not_set_come_from_the_services()
    {
        using var log = new RecordedLog();
        var clock = new FakeClock();
        WithParts().AddSingleton<ILoggerFactory>(log).AddSingleton<TimeProvider>(clock);
        var added = Add("balances");
        await using var services = _services.BuildServiceProvider(validateScopes: true);
        Assert.Same(_journal, added.JournalOf(services));
        Assert.Same(_readModel, added.ReadModelOf(services));
        Assert.Same(services.GetRequiredService<HandlerOfNothing>(), added.HandlerOf(services));
        Assert.Equal(new ProjectionOptions { Name = "balances", LoggerFactory = log, TimeProvider = clock }, added.OptionsOf(services));
    }

    [Fact]
    public async Task Log_and_clock_are_optional()
    {
        var added = Add("balances");
        await using var services = WithParts().BuildServiceProvider();
        Assert.Equal(new() { Name = "balances" }, added.OptionsOf(services));
    }

    [Fact]
    public async Task Options_are_set_one_after_the_other_and_by_the_services()
    {
        using var log = new RecordedLog();
        var added = Add("balances", projection => projection
            .WithOptions(options => options with { Lanes = 4, BatchSize = 7, LoggerFactory = log })
            .WithOptions((services, options) => options with { Lanes = options.Lanes * 2, ProcessName = services.GetRequiredService<string>() }));
        await using var services = WithParts().AddSingleton("node-1").AddLogging().BuildServiceProvider();
        Assert.Equal(new() { Name = "balances", Lanes = 8, BatchSize = 7, ProcessName = "node-1", LoggerFactory = log }, added.OptionsOf(services));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_scoped_handler_is_refused_with_the_remedy(bool isValidated)
    {
        WithParts();
        var added = Add("balances");
        _services.AddScoped<HandlerOfNothing>();
        await using var services = _services.BuildServiceProvider(isValidated);
        var refusal = Assert.Throws<InvalidOperationException>(() => added.HandlerOf(services));
        Assert.Contains("The handler HandlerOfNothing of the projection 'balances' is a scoped service", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("'AddSingleton'", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Throttled.Projections.EntityFrameworkCore", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_that_is_registered_or_given_is_used()
    {
        var handler = new HandlerOfNothing();
        _services.AddSingleton(handler);
        var first = Add("a");
        ProjectionRegistration second = null!;
        _services.AddProjection("b", handler, projection => second = projection);
        await using var services = _services.BuildServiceProvider();
        Assert.Same(handler, first.HandlerOf(services));
        Assert.Same(handler, second.HandlerOf(services));
    }

    [Fact]
    public async Task Journal_and_read_model_may_be_keyed_services_or_come_from_a_factory()
    {
        _services.AddKeyedSingleton("orders", _journal).AddKeyedSingleton("orders", _readModel);
        var keyed = Add("keyed", projection => projection.WithJournal("orders").WithReadModel("orders"));
        var made = Add("made", projection => projection.WithJournal(_ => _journal).WithReadModel(_ => _readModel));
        await using var services = _services.BuildServiceProvider();
        Assert.All((ProjectionRegistration[])[keyed, made], added =>
        {
            Assert.Same(_journal, added.JournalOf(services));
            Assert.Same(_readModel, added.ReadModelOf(services));
        });
    }

    [Fact]
    public async Task A_missing_journal_or_read_model_is_refused_with_the_remedy()
    {
        var added = Add("balances");
        await using var services = _services.BuildServiceProvider();
        Assert.Equal(
            "The projection 'balances' has no JournalReader: none is registered as a service. Register one, as in 'services.AddSingleton(_ => SqliteJournal.OpenReader(connectionString))', or set it with 'WithJournal'.",
            Assert.Throws<InvalidOperationException>(() => added.JournalOf(services)).Message);
        Assert.Equal(
            "The projection 'balances' has no ReadModelDatabase: none is registered as a service. Register one, as in 'services.AddSingleton(_ => ReadModelDatabase.Sqlite(dataSource))', or set it with 'WithReadModel'.",
            Assert.Throws<InvalidOperationException>(() => added.ReadModelOf(services)).Message);
    }

    [Fact]
    public void Two_projections_of_one_name_are_refused()
    {
        Add("balances");
        Add("other");
        Assert.Equal(
            "There is a projection 'balances' already. Give this one another name, or leave it out.",
            Assert.Throws<InvalidOperationException>(() => _services.AddProjection("balances", new HandlerOfNothing())).Message);
        Assert.Throws<ArgumentException>(() => _services.AddProjection<HandlerOfNothing>(""));
    }

    [Fact]
    public async Task Options_with_another_name_are_refused()
    {
        var added = Add("balances", projection => projection.WithOptions(options => options with { Name = "other" }));
        await using var services = _services.BuildServiceProvider();
        Assert.Equal(
            "'Name' is \"other\"; it must be \"balances\", as the projection was added. Leave it out.",
            Assert.Throws<InvalidOperationException>(() => added.OptionsOf(services)).Message);
    }

    [Fact]
    public async Task Each_projection_is_a_hosted_service_and_a_service_keyed_by_its_name()
    {
        Add("a");
        Add("b");
        await using var services = WithParts().BuildServiceProvider();
        Assert.Equal(2, services.GetServices<IHostedService>().Distinct().Count());
        var projections = _added.Keys.Select(name => services.GetRequiredKeyedService<Projection>(name)).ToList();
        Assert.Equal(2, projections.Distinct().Count());
        Assert.Same(projections[0], services.GetRequiredKeyedService<Projection>("a"));
    }

    private ServiceCollection WithParts()
    {
        _services.AddSingleton(_journal).AddSingleton(_readModel);
        return _services;
    }

    private ProjectionRegistration Add(string name, Action<ProjectionRegistration>? configure = null)
    {
        _services.AddProjection<HandlerOfNothing>(name, projection =>
        {
            configure?.Invoke(projection);
            _added.Add(name, projection);
        });
        return _added[name];
    }
}
