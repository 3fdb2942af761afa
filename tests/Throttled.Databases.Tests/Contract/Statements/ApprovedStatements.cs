using System.Reflection;
using Xunit.Sdk;

namespace Throttled.Databases.Tests.Contract;

/// <summary>Compares statement texts with the approved file, which the test project embeds.</summary>
public static class ApprovedStatements
{
    /// <summary>If this environment variable is 1, the file is written again.</summary>
    public const string Accept = "THROTTLED_ACCEPT_SQL";

    private const int MostShown = 5;
    /// <param name="tests">The assembly of the test project. Its folder has the same name.</param>
    /// <param name="file">The file in the folder <c>approved</c>, embedded under its name.</param>
    /// <param name="texts">The current texts.</param>
    public static void Check(Assembly tests, string file, StatementTexts texts)
    {
        // A checkout on Windows has its line ends, also in statements of several lines.
        var now = texts.ToString().ReplaceLineEndings("\n");
        if (Environment.GetEnvironmentVariable(Accept) == "1")
        {
            Write(tests, file, now);
            return;
        }
        var approved = Approved(tests, file);
        if (now != approved)
            throw new XunitException($"These statements are not those of approved/{file} (- approved, + now):\n\n"
                + $"{Changes(Statements(approved), Statements(now))}\n{HowToAccept(tests)}");
    }

    private static string HowToAccept(Assembly tests) =>
        $"If that is on purpose, run '{Accept}=1 dotnet test tests/{tests.GetName().Name} --filter FullyQualifiedName~StatementText' "
        + "and commit the file with the change.";

    private static void Write(Assembly tests, string file, string text)
    {
        var folder = Directory.CreateDirectory(Path.Combine(WorkingCopy.Root, "tests", tests.GetName().Name!, "approved"));
        File.WriteAllText(Path.Combine(folder.FullName, file), text);
    }

    private static string Approved(Assembly tests, string file)
    {
        using var stream = tests.GetManifestResourceStream(file)
            ?? throw new XunitException($"approved/{file} is missing. {HowToAccept(tests)}");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    private static string Changes(Dictionary<string, string> approved, Dictionary<string, string> now)
    {
        string[] changes =
        [
            .. approved.Keys.Union(now.Keys).Where(key => approved.GetValueOrDefault(key) != now.GetValueOrDefault(key))
                .Select(key => $"{key}\n{Marked('-', approved.GetValueOrDefault(key))}{Marked('+', now.GetValueOrDefault(key))}"),
        ];
        return changes.Length == 0 ? "They stand in another order." : string.Join('\n', changes.Take(MostShown).Append($"{changes.Length} in all."));
    }

    // Sorted by case and name, each followed by a blank line.
    private static Dictionary<string, string> Statements(string file)
    {
        var title = "";
        Dictionary<string, string> statements = [];
        foreach (var part in file.Split("\n\n").Select(part => part.Trim('\n')))
        {
            var name = part.Split('\n', ':')[0];
            if (name.StartsWith("-- == ", StringComparison.Ordinal))
                title = name;
            statements[$"{title}\n{name}"] = part[name.Length..].Trim('\n');
        }
        return statements;
    }

    private static string Marked(char mark, string? text) =>
        text is null ? "" : string.Concat(text.Split('\n').Select(line => $"{mark} {line}\n"));
}
