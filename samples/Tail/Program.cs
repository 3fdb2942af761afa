using Tail.Settings;

return await TailCommand.RunAsync(args);
