using CrushTest.Databases;
using CrushTest.Settings;
using CrushTest.SqlServer.Databases;

return await CrushCommand.RunAsync(args, new CrushKinds(SqlServerCrush.Kind, CrushKind.Sqlite, CrushKind.PostgreSql));
