namespace BankAccounts.Settings;

/// <summary>The SQLite files that the sample creates if no connection string is given.</summary>
internal static class OwnFiles
{
    internal const string Folder = "artifacts/bank-accounts";

    /// <exception cref="BankException">The folder of the files cannot be created.</exception>
    internal static string Path(string name)
    {
        var folder = System.IO.Path.GetFullPath(Folder);
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (Exception error) when (error is UnauthorizedAccessException or IOException)
        {
            throw new BankException(
                $"--connection is missing, and the default directory '{folder}' cannot be made: {Sentence.Of(error.Message)} "
                + "Start the sample where you may write, or give --connection and --journal \"Data Source=…\".",
                error);
        }
        return System.IO.Path.Combine(folder, name);
    }

    internal static void Delete(string path)
    {
        foreach (var suffix in new[] { "", "-wal", "-shm" })
            File.Delete(path + suffix);
    }
}
