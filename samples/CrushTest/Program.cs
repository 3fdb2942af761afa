using CrushTest.Databases;
using CrushTest.Settings;

return await CrushCommand.RunAsync(args, CrushKinds.Common);
