namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>How the older PostgreSQL plugin stored payloads without a serializer id: the values of <c>stored-as</c>.</summary>
public enum StoredAs
{
    /// <summary>As bytes.</summary>
    Bytea,

    /// <summary>As JSON.</summary>
    Json,

    /// <summary>As binary JSON.</summary>
    Jsonb,
}
