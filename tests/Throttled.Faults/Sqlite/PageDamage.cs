using System.Text;

namespace Throttled.Faults.Sqlite;

/// <summary>Damages pages of a file that is not open: https://www.sqlite.org/fileformat.html#b_tree_pages</summary>
internal static class PageDamage
{
    internal const int Page = 4096;
    private const int OverflowPages = 20;

    /// <summary>An event with overflow pages, each full of its mark.</summary>
    internal static JournalEvent Large(string persistenceId) => new()
    {
        PersistenceId = persistenceId,
        SequenceNumber = 1,
        Payload = Enumerable.Repeat((byte)'#', OverflowPages * Page).ToArray(),
        SerializerId = 4,
    };

    /// <summary>Fills the page with a payload with zeros.</summary>
    internal static Task ZeroAsync(string file, string payload) => ChangeAsync(file, bytes =>
    {
        var page = bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(payload)) / Page;
        Assert.True(page > 0, $"'{payload}' is not in the file.");
        bytes.AsSpan(page * Page, Page).Clear();
    });

    /// <summary>Sets the number of the next page, at the start of an overflow page, to a page that does not exist.</summary>
    internal static Task CutAsync(string file) => ChangeAsync(file, bytes =>
    {
        var full = new byte[Page - 4];
        Array.Fill(full, (byte)'#');
        var pages = Enumerable.Range(0, bytes.Length / Page).Where(page => bytes.AsSpan((page * Page) + 4, Page - 4).SequenceEqual(full)).ToList();
        Assert.InRange(pages.Count, OverflowPages - 2, OverflowPages);
        bytes.AsSpan(pages[pages.Count / 2] * Page, 4).Fill(0x7f);
    });

    private static async Task ChangeAsync(string file, Action<byte[]> change)
    {
        Assert.False(File.Exists($"{file}-wal"), "The file is open.");
        var bytes = await File.ReadAllBytesAsync(file);
        change(bytes);
        await File.WriteAllBytesAsync(file, bytes);
    }
}
