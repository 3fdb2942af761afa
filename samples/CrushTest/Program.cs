using System.Globalization;
using CrushTest.Settings;

// Cultures stay enabled because SQL Server's driver needs them, so the report's format is fixed here.
CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
return await CrushCommand.RunAsync(args);
