namespace Throttled.Projections.Merging;

/// <summary>Rows in the order of their keys, each key once. Transactions that write the same rows lock them in this order, so they cannot deadlock.</summary>
internal sealed class SortedRows<TRow>
{
    private readonly IReadOnlyList<MergeColumn<TRow>> _keys;
    private readonly Comparison<TRow>[] _compared;
    private readonly TRow[] _rows;

    internal SortedRows(IReadOnlyList<MergeColumn<TRow>> keys, KeyOrder order, IReadOnlyCollection<TRow> rows)
    {
        (_keys, _compared, _rows) = (keys, [.. keys.Select(key => key.Compared(order))], [.. rows]);
        foreach (var key in keys.Where(key => !key.Type.Clr.IsValueType))
            NotNull(key);
        Array.Sort(_rows, Compare);
        for (var i = 1; i < _rows.Length; i++)
            Differ(_rows[i - 1], _rows[i]);
    }

    internal TRow[] Where(Predicate<TRow> condition) => Array.FindAll(_rows, condition);

    private int Compare(TRow left, TRow right)
    {
        var order = 0;
        for (var i = 0; i < _compared.Length && order == 0; i++)
            order = _compared[i](left, right);
        return order;
    }

    private void NotNull(MergeColumn<TRow> key)
    {
        if (Array.Exists(_rows, row => key.Read(row) is null))
            throw new InvalidOperationException($"The key '{key.Name}' of a row is null; a key is never null. Leave the row out, or give its key.");
    }

    private void Differ(TRow left, TRow right)
    {
        if (Compare(left, right) == 0)
        {
            throw new InvalidOperationException(
                $"Two rows have the key {Text(left)}; a row can be written once in a call. Fold the changes to one for each key first.");
        }
    }

    private string Text(TRow row) =>
        string.Join(", ", _keys.Select(key => FormattableString.Invariant($"{key.Name} = '{(key.Read(row) is byte[] bytes ? Convert.ToHexString(bytes) : key.Read(row))}'")));
}
