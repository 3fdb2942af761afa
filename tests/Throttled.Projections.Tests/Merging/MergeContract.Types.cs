namespace Throttled.Projections.Tests.Merging;

public abstract partial class MergeContract
{
    [ContractFact]
    public Task Strings_come_back() => RoundTripAsync(TextType, "", "é漢𝒳'\"\\{},NULL", null);

    [ContractFact]
    public async Task Whole_numbers_come_back()
    {
        await RoundTripAsync<long?>("bigint", long.MinValue, long.MaxValue, null);
        await RoundTripAsync<int?>("integer", int.MinValue, int.MaxValue, null);
        await RoundTripAsync<short?>("smallint", short.MinValue, short.MaxValue, null);
        await RoundTripAsync("bigint", 0L, -1L);
        await RoundTripAsync("integer", 0, -1);
        await RoundTripAsync("smallint", (short)0, (short)-1);
    }

    [ContractFact]
    public async Task Fractions_come_back()
    {
        await RoundTripAsync<double?>("double precision", double.MaxValue, -0.1, Extremes.Smallest, null);
        await RoundTripAsync<float?>("real", float.MaxValue, -0.1f, null);
        await RoundTripAsync<decimal?>(DecimalType, Extremes.Largest, Extremes.Finest, null);
        await RoundTripAsync("double precision", 0d, 1.5);
        await RoundTripAsync("real", 0f, 1.5f);
        await RoundTripAsync(DecimalType, 0m, 1.5m);
    }

    [ContractFact]
    public async Task Booleans_Guids_and_bytes_come_back()
    {
        await RoundTripAsync<bool?>(BooleanType, true, false, null);
        await RoundTripAsync(BooleanType, true, false);
        await RoundTripAsync<Guid?>(GuidType, Guid.NewGuid(), Guid.Empty, null);
        await RoundTripAsync(GuidType, Guid.NewGuid(), Guid.Empty);
        await RoundTripAsync<byte[]>(BytesType, [], [0, 1, 255], null);
    }

    [ContractFact]
    public async Task Times_come_back()
    {
        var time = new DateTime(2024, 2, 29, 23, 59, 59, DateTimeKind.Utc).AddTicks(1_234_560);
        var summer = new DateTimeOffset(2024, 7, 1, 12, 0, 0, TimeSpan.FromHours(5));
        await RoundTripAsync<DateTime?>(DateTimeType, null, time);
        await RoundTripAsync(DateTimeType, time, time.AddYears(-100));
        await RoundTripAsync<DateTimeOffset?>(TimeType, null, summer);
        await RoundTripAsync(TimeType, summer, summer.ToUniversalTime().AddDays(1));
    }

    [ContractFact]
    public async Task Columns_of_nothing_but_null_come_back()
    {
        await RoundTripAsync<string>(TextType, null, null);
        await RoundTripAsync<byte[]>(BytesType, null, null);
        await RoundTripAsync<DateTime?>(DateTimeType, null, null);
        await RoundTripAsync<DateTimeOffset?>(TimeType, null, null);
        await RoundTripAsync<decimal?>(DecimalType, null, null);
        await RoundTripAsync<Guid?>(GuidType, null, null);
    }

    [ContractFact]
    public async Task The_latest_and_the_first_time_win()
    {
        await ExecuteAsync($"CREATE TABLE {_table} (id bigint PRIMARY KEY, latest {TimeType}, first {TimeType})");
        var table = new MergeTable<DateTimeOffset>().Key("id", _ => 1L).Max("latest", time => time).Min("first", time => time);
        var noon = new DateTimeOffset(2024, 7, 1, 12, 0, 0, TimeSpan.Zero);
        var (before, after) = (noon.AddMilliseconds(-500).ToOffset(TimeSpan.FromHours(9)), noon.AddMilliseconds(250).ToOffset(TimeSpan.FromHours(-9)));
        foreach (var time in (DateTimeOffset[])[noon, after, before, noon])
            await WriteAsync(table, time);
        Assert.Equal(after.UtcDateTime, (await ValuesAsync<DateTimeOffset>("latest")).Single().UtcDateTime);
        Assert.Equal(before.UtcDateTime, (await ValuesAsync<DateTimeOffset>("first")).Single().UtcDateTime);
    }

    [ContractFact]
    public async Task Keys_may_be_of_any_type_that_has_equals()
    {
        var time = new DateTime(2024, 2, 29, 0, 0, 0, DateTimeKind.Utc);
        await KeyAsync("bigint", 3L, -3L);
        await KeyAsync("integer", 3, -3);
        await KeyAsync("smallint", (short)3, (short)-3);
        await KeyAsync(BooleanType, true, false);
        await KeyAsync(GuidType, Guid.NewGuid(), Guid.NewGuid());
        await KeyAsync(DateTimeType, time, time.AddDays(-1));
        await KeyAsync(TimeType, new DateTimeOffset(time), new DateTimeOffset(time.AddDays(-1)));
        await KeyAsync<byte[]>(BytesType, [2], [1, 0]);
    }

    [ContractFact]
    public async Task A_time_that_is_not_in_UTC_is_refused()
    {
        await ExecuteAsync($"CREATE TABLE {_table} (id bigint PRIMARY KEY, at {TimeType})");
        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => WriteAsync(new MergeTable<DateTime>().Key("id", _ => 1L).Set("at", time => time), new DateTime(2024, 1, 1)));
        Assert.Equal(
            "The column 'at' has a DateTime of kind Unspecified; it must be Utc. Give ToUniversalTime(), DateTime.SpecifyKind, or a DateTimeOffset.",
            error.Message);
    }

    protected virtual string TextType => "text";

    /// <summary>A text that may be a key.</summary>
    protected virtual string KeyType => TextType;

    protected virtual string BooleanType => "boolean";

    protected virtual string DateTimeType => TimeType;

    /// <summary>The smallest double, the largest decimal and the one with the most digits after the point that a column stores.</summary>
    protected virtual (double Smallest, decimal Largest, decimal Finest) Extremes => (double.Epsilon, decimal.MaxValue, -0.0000000000000000000000000001m);

    protected abstract string DecimalType { get; }

    protected abstract string GuidType { get; }

    protected abstract string BytesType { get; }

    protected abstract string TimeType { get; }

    private async Task RoundTripAsync<T>(string type, params T?[] values)
    {
        await ExecuteAsync($"DROP TABLE IF EXISTS {_table}");
        await ExecuteAsync($"CREATE TABLE {_table} (id bigint PRIMARY KEY, value {type})");
        var table = new MergeTable<(long Id, T? Value)>().Key("id", r => r.Id).Set("value", r => r.Value);
        foreach (var _ in (int[])[1, 2])
            await WriteAsync(table, [.. values.Select((value, i) => ((long)i, value))]);
        Assert.Equal(values, await ValuesAsync<T>("value"));
    }

    private async Task KeyAsync<T>(string type, T first, T second)
    {
        await ExecuteAsync($"DROP TABLE IF EXISTS {_table}");
        await ExecuteAsync($"CREATE TABLE {_table} (id {type} PRIMARY KEY, value bigint)");
        var table = new MergeTable<(T Key, long Value)>().Key("id", r => r.Key).Add("value", r => r.Value).DeleteWhen(r => r.Value == 0);
        await WriteAsync(table, (first, 1), (second, 1));
        await WriteAsync(table, (second, 0), (first, 5));
        Assert.Equal(["6"], await QueryAsync($"SELECT value FROM {_table}"));
    }

    private async Task<IReadOnlyList<T?>> ValuesAsync<T>(string column)
    {
        await using var command = Command($"SELECT {column} FROM {_table} ORDER BY id");
        await using var reader = await command.ExecuteReaderAsync();
        var values = new List<T?>();
        while (await reader.ReadAsync())
            values.Add(await reader.IsDBNullAsync(0) ? default : await reader.GetFieldValueAsync<T>(0));
        return values;
    }
}
