using CrushTest.Settings;

return await CrushCommand.RunAsync(args);
