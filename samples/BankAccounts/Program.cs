using BankAccounts.Settings;

return await BankCommand.RunAsync(args);
