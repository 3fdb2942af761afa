using Throttled.Reshard;

return await ReshardCommand.RunAsync(args, Console.Out, Console.Error).ConfigureAwait(false);
