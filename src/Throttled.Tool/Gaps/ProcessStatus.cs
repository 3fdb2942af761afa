using System.Net;
using System.Text.Json;
using System.Text.Json.Serialization;
using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Gaps;

/// <summary>The waits for a permit in the last second, in seconds.</summary>
internal sealed record ProcessWaits(long Count, double Median, double P99);

/// <summary>
/// The figures of one journal of a process, from its page. Rates are null in the first read. The instance is the number of the journal, from 2, if an
/// earlier one with the same name is open; otherwise null.
/// </summary>
internal sealed record ProcessJournal(
    string Name, int? Shard, string CircuitBreaker, long QueriesFollowing, long QueriesLagging, long PermitsUsed, long PermitLimit, long QueriesWaiting,
    ProcessWaits? PermitWait, double? StatementsPerSecond, int? Instance = null)
{
    internal IEnumerable<string> Lines()
    {
        var (ofShard, ofReader) = (Shard is { } shard ? Invariant($", shard {shard}") : "", Instance is { } instance ? Invariant($", reader {instance}") : "");
        yield return $"journal          '{Name}'{ofShard}{ofReader} in the process; its circuit breaker is {CircuitBreaker}";
        yield return Invariant($"queries          {QueriesFollowing:N0} following, {QueriesLagging:N0} lagging");
        yield return Invariant($"permits          {PermitsUsed:N0} of {PermitLimit:N0} used; {QueriesWaiting:N0} {(QueriesWaiting == 1 ? "query waits" : "queries wait")} for one");
        yield return PermitWait is { } waits
            ? Invariant($"permit waits     {waits.Count:N0} in the last second: median {waits.Median * 1_000:N1} ms, 99th percentile {waits.P99 * 1_000:N1} ms")
            : "permit waits     none in the last second";
    }
}

/// <summary>Reads the status of a process from its page: docs/operating/page.md.</summary>
/// <param name="address">The value of --status.</param>
internal sealed class ProcessStatus(string address)
{
    // The page reads its figures once a second. The first read has no rates.
    private const int MostReads = 3;
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MostTime = TimeSpan.FromSeconds(10);

    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web)
    {
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals | JsonNumberHandling.AllowReadingFromString,
    };

    /// <returns>The journals that the process reads.</returns>
    /// <exception cref="CommandException">The process cannot be reached, or its answer is not a status.</exception>
    internal async Task<IReadOnlyList<ProcessJournal>> ReadAsync(CancellationToken cancellation)
    {
        if (!Uri.TryCreate(address, UriKind.Absolute, out var uri) || (uri.Scheme != Uri.UriSchemeHttp && uri.Scheme != Uri.UriSchemeHttps))
            throw Wrong("it must be an http or https address, such as http://localhost:5000/throttled/status.");
        using var client = new HttpClient { Timeout = MostTime };
        var journals = await ReadAsync(client, uri, cancellation);
        for (var reads = 1; reads < MostReads && journals.Any(each => each.StatementsPerSecond is null); reads++)
        {
            await Task.Delay(Interval, TimeProvider.System, cancellation);
            journals = await ReadAsync(client, uri, cancellation);
        }
        return journals;
    }

    private async Task<IReadOnlyList<ProcessJournal>> ReadAsync(HttpClient client, Uri uri, CancellationToken cancellation)
    {
        try
        {
            using var response = await client.GetAsync(uri, cancellation);
            var text = await response.Content.ReadAsStringAsync(cancellation);
            if (response.StatusCode != HttpStatusCode.OK)
                throw Refused(response.StatusCode, text);
            return JsonSerializer.Deserialize<Answer>(text, Format)?.Journals ?? throw new JsonException();
        }
        catch (HttpRequestException error)
        {
            throw Wrong($"it cannot be reached: {Sentence.Of(error.Message)} Start the process, or correct the address.", error);
        }
        catch (TaskCanceledException error) when (!cancellation.IsCancellationRequested)
        {
            throw Wrong(Invariant($"it has not answered within {MostTime.TotalSeconds:N0} s. Check the process, or correct the address."), error);
        }
        catch (JsonException error)
        {
            throw Wrong("its answer is not the status of Throttled's page. Give the address of the page with '/status' at its end: docs/operating/page.md.", error);
        }
    }

    private CommandException Refused(HttpStatusCode code, string text) => code switch
    {
        // Without a policy, the page's own text says why. With a policy, the text is not the page's.
        HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden => Wrong(Invariant($"the page refuses the request with {(int)code}. ")
            + (text.Length is > 0 and < 500 ? $"It says: {Sentence.Of(text)}" : "Its authorization policy requires a login, which this command does not have: let the policy allow this machine.")),
        _ => Wrong(Invariant($"it answers with {(int)code}. Give the address of the page with '/status' at its end: docs/operating/page.md.")),
    };

    private CommandException Wrong(string what, Exception? error = null) => new($"--status is '{address}'; {what}", error);

    private sealed record Answer(IReadOnlyList<ProcessJournal> Journals);
}
