using CrushTest.Akka.Settings;

return await AkkaCrushCommand.RunAsync(args);
