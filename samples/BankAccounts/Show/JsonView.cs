using System.Text.Json;
using System.Text.Json.Serialization;
using BankAccounts.Replay;

namespace BankAccounts.Show;

/// <summary>For programs: nothing but the result.</summary>
internal sealed class JsonView : IView
{
    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web) 
    {
        WriteIndented = true,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    public Task RunAsync(string name, long? all, Func<long> done, Func<Task<string>> work) => work();

    public void Show(ReplayReport report) => Print(report);

    internal static void Print(object result) => Console.WriteLine(JsonSerializer.Serialize(result, result.GetType(), Format));
}
