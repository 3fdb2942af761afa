using Throttled.Benchmarks;

switch (args)
{
    case ["crush", .. var rest]:
        return await CrushMatrix.RunAsync(rest);
    case ["ledger"]:
        LedgerRate.Run();
        return 0;
    case ["idle"]:
        await IdleQueries.RunAsync();
        return 0;
    case ["memory"]:
        await QueryMemory.RunAsync();
        return 0;
    default:
        Console.Error.WriteLine(
            """
            crush [streams] [events]   the crush test on SQLite and PostgreSQL, pages of 100 and of 10  -> results/by-id.md
            ledger                     permit requests per second                                         -> results/ledger.md
            idle                       statements per second of idle queries                            -> results/idle.md
            memory                     the engine's bytes for an idle query                             -> results/memory.md
            """);
        return args is [] or ["--help"] ? 0 : 2;
}
