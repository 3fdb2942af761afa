using System.Data.Common;

namespace Throttled.Benchmarks.Tags;

/// <summary>Reads a page of a tag as Akka.Persistence.Sql does, with the SQL of its LINQ query.</summary>
// https://github.com/akkadotnet/Akka.Persistence.Sql/blob/35ec93c/src/Akka.Persistence.Sql/Query/Dao/BaseByteReadArrayJournalDao.cs (EventsByTag)
internal sealed class PagePoll(JournalTables tables, bool isSqlite)
{
    internal const int Rows = 500;

    private string Columns =>
        $"r.{tables.OrderingColumn}, r.{tables.DeletedColumn}, r.{tables.PersistenceIdColumn}, r.{tables.SequenceNumberColumn}, "
        + $"r.{tables.TimestampColumn}, r.{tables.PayloadColumn}, r.{tables.SerializerIdColumn}, r.{tables.ManifestColumn}, "
        + $"r.{tables.WriterUuidColumn}";

    private string Text => tables.TagMode == TagMode.Csv
        ? $"SELECT {Columns}, r.{tables.TagsColumn} FROM {tables.JournalTable} r WHERE r.{tables.TagsColumn} IS NOT NULL "
            + $"AND r.{tables.TagsColumn} LIKE @tag ESCAPE '~' AND NOT r.{tables.DeletedColumn} "
            + $"AND r.{tables.OrderingColumn} > @after AND r.{tables.OrderingColumn} <= @max ORDER BY r.{tables.OrderingColumn} LIMIT {Rows}"
        : $"SELECT {Columns}, (SELECT {(isSqlite ? "GROUP_CONCAT" : "STRING_AGG")}(t.{tables.TagColumn}, ';') FROM {tables.TagTable} t "
            + $"WHERE t.{tables.TagOrderingColumn} = r.{tables.OrderingColumn}) FROM {tables.JournalTable} r "
            + $"LEFT JOIN {tables.TagTable} lp ON lp.{tables.TagOrderingColumn} = r.{tables.OrderingColumn} "
            + $"WHERE lp.{tables.TagOrderingColumn} > @after AND lp.{tables.TagOrderingColumn} <= @max AND NOT r.{tables.DeletedColumn} "
            + $"AND lp.{tables.TagColumn} = @tag ORDER BY r.{tables.OrderingColumn} LIMIT {Rows}";

    /// <summary>The orderings of a page, read in its own transaction.</summary>
    internal List<long> Read(DbConnection open, string tag, long after, long max)
    {
        using var transaction = open.BeginTransaction();
        using var command = open.CreateCommand();
        command.Transaction = transaction;
        command.CommandTimeout = 0;
        command.CommandText = Text;
        Add(command, "@tag", tables.TagMode == TagMode.Csv ? $"%;{tag};%" : tag);
        Add(command, "@after", after);
        Add(command, "@max", max);
        List<object[]> rows = [];
        using (var row = command.ExecuteReader())
        {
            while (row.Read())
            {
                var values = new object[row.FieldCount];
                row.GetValues(values);
                rows.Add(values);
            }
        }
        transaction.Commit();
        return rows.ConvertAll(row => (long)row[0]);
    }

    private static void Add(DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = (name, value);
        command.Parameters.Add(parameter);
    }
}
