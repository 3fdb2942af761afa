namespace Throttled.Testing;

/// <summary>Makes the commit of events on PostgreSQL as slow as on a server with slow disks, on any machine.</summary>
public static class SlowCommit
{
    /// <summary>The SQL that adds the trigger to the table <c>journal</c>.</summary>
    /// <param name="delay">The least time of each commit of events.</param>
    // The trigger fires at the commit, for each row, and sleeps for the first row.
    public static string Sql(TimeSpan delay) => FormattableString.Invariant(
        $"""
        CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF current_setting('throttled.slept', true) IS DISTINCT FROM 'yes' THEN
                PERFORM set_config('throttled.slept', 'yes', true);
                PERFORM pg_sleep({delay.TotalSeconds});
            END IF;
            RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow_commit();
        """);
}
