using Npgsql;
using NpgsqlTypes;

namespace Throttled.Journal.PostgreSql;

/// <summary>Statement values with their types, so that no type is inferred and no value is boxed.</summary>
internal static class PostgreSqlParameters
{
    internal static NpgsqlParameter<long> Of(long value) => Of(value, NpgsqlDbType.Bigint);

    internal static NpgsqlParameter<int> Of(int value) => Of(value, NpgsqlDbType.Integer);

    internal static NpgsqlParameter<string> Of(string value) => Of(value, NpgsqlDbType.Text);

    internal static NpgsqlParameter<string[]> Of(string[] values) => Of(values, NpgsqlDbType.Array | NpgsqlDbType.Text);

    internal static NpgsqlParameter<long[]> Of(long[] values) => Of(values, NpgsqlDbType.Array | NpgsqlDbType.Bigint);

    internal static NpgsqlParameter<int[]> Of(int[] values) => Of(values, NpgsqlDbType.Array | NpgsqlDbType.Integer);

    private static NpgsqlParameter<T> Of<T>(T value, NpgsqlDbType type) => new() { TypedValue = value, NpgsqlDbType = type };
}
