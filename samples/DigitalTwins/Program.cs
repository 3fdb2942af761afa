using DigitalTwins.Settings;

return await TwinsCommand.RunAsync(args);
