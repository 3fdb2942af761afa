using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Throttled.AspNetCore.Tests.Hosting;
using Throttled.Testing.Scripted;

namespace Throttled.AspNetCore.Tests.Endpoints;

/// <summary>Commands: only if the option allows them, only with the antiforgery token, and only from the page itself.</summary>
public sealed class CommandTests
{
    private static readonly object Pause = new { readModel = 0, projection = "statements", verb = "pause" };

    [Fact]
    public async Task Without_the_option_there_are_no_commands()
    {
        await using var host = await PageHost.StartAsync();
        Assert.Equal(404, (await host.GetAsync("/throttled/commands")).Status);
        using var answer = await host.Client.PostAsJsonAsync("/throttled/commands", Pause);
        Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
    }

    [Fact]
    public void Without_the_antiforgery_services_the_option_is_refused()
    {
        var app = WebApplication.CreateSlimBuilder().Build();
        var error = Assert.Throws<InvalidOperationException>(() => app.MapThrottled(options: new() { AllowCommands = true }));
        Assert.Equal(
            "'AllowCommands' is true, but the antiforgery services are not registered. Add 'builder.Services.AddAntiforgery()', or leave the option false.", error.Message);
    }

    [Fact]
    public async Task A_command_without_a_valid_token_does_nothing()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register, new() { AllowCommands = true });
        using var without = await host.Client.PostAsJsonAsync("/throttled/commands", Pause);
        Assert.Equal((HttpStatusCode.BadRequest, "The command has no valid antiforgery token. Reload the page."), (without.StatusCode, await PageHost.ReasonAsync(without)));
        using var wrong = await SendAsync(host, Pause, ("RequestVerificationToken", "CfDJ8"));
        Assert.Equal(HttpStatusCode.BadRequest, wrong.StatusCode);
        Assert.False(await IsPausedAsync(host));
    }

    [Fact]
    public async Task The_token_is_not_stored_and_costs_no_warning()
    {
        var log = new RecordedLog();
        await using var host = await PageHost.StartAsync(services => services.AddSingleton<ILoggerFactory>(log), new() { AllowCommands = true });
        using var answer = (await host.GetAsync("/throttled/commands")).Answer;
        Assert.True(answer.Headers.CacheControl!.NoStore);
        // The antiforgery service logs this, with id 8, if it replaces a header without no-cache.
        Assert.DoesNotContain(log.TextsOf(8), text => text.Contains("Cache-Control", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_command_of_a_page_of_another_site_is_refused()
    {
        await using var host = await PageHost.StartAsync(options: new() { AllowCommands = true });
        using var answer = await SendAsync(host, Pause, await TokenAsync(host), ("Sec-Fetch-Site", "cross-site"));
        Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
    }

    [Fact]
    public async Task Pause_and_resume_do_so()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register, new() { AllowCommands = true });
        await StartedAsync(host);
        var token = await TokenAsync(host);
        using var paused = await SendAsync(host, Pause, token);
        Assert.Equal((HttpStatusCode.OK, "'statements' is paused; no lane runs."), (paused.StatusCode, await paused.Content.ReadAsStringAsync()));
        Assert.True(await IsPausedAsync(host));
        using var resumed = await SendAsync(host, new { readModel = 0, projection = "statements", verb = "resume" }, token);
        Assert.Equal(HttpStatusCode.OK, resumed.StatusCode);
        Assert.False(await IsPausedAsync(host));
        var commands = await Control(host).CommandsAsync("statements");
        Assert.Equal(2, commands.Count);
        Assert.All(commands, command => Assert.Equal("an unknown user", command.Origin!.User));
    }

    [Fact]
    public async Task Dead_letters_are_tried_again()
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register, new() { AllowCommands = true });
        await StartedAsync(host);
        await bank.AppendAsync(Bank.Poison);
        var control = Control(host);
        await Wait.UntilAsync(async () => (await control.StatusAsync("balances"))[0].DeadLetters == 1, () => "a dead letter");
        bank.Heal();
        var token = await TokenAsync(host);
        using var answer = await SendAsync(host, new { readModel = 0, projection = "balances", verb = "retry", persistenceId = Bank.Poison }, token);
        Assert.True(answer.IsSuccessStatusCode, await answer.Content.ReadAsStringAsync());
        await Wait.UntilAsync(async () => (await control.StatusAsync("balances"))[0].DeadLetters == 0, () => "no dead letter any more");
    }

    [Fact]
    public async Task A_command_is_logged_though_its_sender_has_left()
    {
        var log = new RecordedLog();
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(
            services =>
            {
                bank.Register(services);
                services.AddSingleton<ILoggerFactory>(log);
            },
            new() { AllowCommands = true });
        await StartedAsync(host);
        await bank.AppendAsync(Bank.Poison);
        var control = Control(host);
        await Wait.UntilAsync(async () => (await control.StatusAsync("balances"))[0].DeadLetters == 1, () => "a dead letter");
        // A command to a paused projection waits.
        await control.PauseAsync("balances");
        var sending = SendAsync(host, new { readModel = 0, projection = "balances", verb = "retry", persistenceId = Bank.Poison }, await TokenAsync(host));
        await Wait.UntilAsync(async () => (await control.StatusAsync("balances"))[0].WaitingCommands == 1, () => "a command that waits");
        host.Client.CancelPendingRequests();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);
        bank.Heal();
        await control.ResumeAsync("balances");
        await Wait.UntilAsync(() => log.CountOf(301) == 1, () => "the command in the log");
        Assert.StartsWith($"Command of the page: retry balances, dead letters of '{Bank.Poison}'; by an unknown user from ", log.TextsOf(301)[0], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{"readModel":0,"projection":"statements","verb":"drop"}""", 400, "'verb' is \"drop\"; it must be pause, resume or retry.")]
    [InlineData("""{"readModel":0,"projection":"statements","verb":"pause","persistenceId":"account-1"}""", 400,
        "'persistenceId' is \"account-1\", but pause is for the whole projection. Leave it out, or set 'verb' to retry.")]
    [InlineData("""{"projection":"statements","verb":"pause"}""", 400, "The command is not valid JSON with 'readModel', 'projection' and 'verb'. Reload the page.")]
    [InlineData("""{"readModel":0,"verb":"pause"}""", 400, "The command is not valid JSON with 'readModel', 'projection' and 'verb'. Reload the page.")]
    [InlineData("pause", 400, "The command is not valid JSON with 'readModel', 'projection' and 'verb'. Reload the page.")]
    [InlineData("""{"readModel":3,"projection":"statements","verb":"pause"}""", 404, "'readModel' is 3; read model databases of this process: 1. Reload the page.")]
    [InlineData("""{"readModel":0,"projection":"other","verb":"pause"}""", 409, null)]
    public async Task A_command_that_cannot_be_is_refused_with_a_sentence(string body, int status, string? sentence)
    {
        await using var bank = await Bank.OpenAsync();
        await using var host = await PageHost.StartAsync(bank.Register, new() { AllowCommands = true });
        await StartedAsync(host);
        var (name, value) = await TokenAsync(host);
        using var content = new StringContent(body, System.Text.Encoding.UTF8, "application/json");
        content.Headers.Add(name, value);
        using var answer = await host.Client.PostAsync(new Uri("/throttled/commands", UriKind.Relative), content);
        var text = await PageHost.ReasonAsync(answer);
        Assert.Equal(status, (int)answer.StatusCode);
        Assert.Equal(sentence ?? text, text);
        Assert.NotEmpty(text);
        Assert.False(await IsPausedAsync(host));
    }

    private static async Task<(string Header, string Token)> TokenAsync(PageHost host)
    {
        var tokens = JsonDocument.Parse((await host.GetAsync("/throttled/commands")).Text).RootElement;
        return (tokens.GetProperty("header").GetString()!, tokens.GetProperty("token").GetString()!);
    }

    private static async Task<HttpResponseMessage> SendAsync(PageHost host, object command, params (string Name, string Value)[] headers)
    {
        using var content = JsonContent.Create(command);
        // Its length is known only if it is complete.
        await content.LoadIntoBufferAsync();
        foreach (var (name, value) in headers)
            content.Headers.Add(name, value);
        return await host.Client.PostAsync(new Uri("/throttled/commands", UriKind.Relative), content);
    }

    private static ProjectionControl Control(PageHost host) => new(host.App.Services.GetRequiredService<ReadModelDatabase>());

    private static Task StartedAsync(PageHost host) => Wait.UntilAsync(async () => (await Control(host).NamesAsync()).Count == 2, () => "two projections that have started");

    private static async Task<bool> IsPausedAsync(PageHost host) =>
        (await Control(host).StatusAsync("statements")).Any(each => each.IsPaused);
}
