using System.Globalization;
using CrushTest.Settings;

// SQL Server's driver needs cultures. The report is the same in each of them.
CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
return await CrushCommand.RunAsync(args);
