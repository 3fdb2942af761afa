using Throttled.Tool;

return await ToolCommand.RunAsync(args, Console.Out, Console.Error);
