namespace DigitalTwins.Devices;

internal static class DeviceIds
{
    // Odd, so different numbers have different products. Consecutive numbers would have neighbouring slices, so few devices would be spread unevenly.
    private const uint Spread = 2_654_435_761;

    /// <param name="number">From 0.</param>
    internal static string Of(int number) => $"device-{unchecked((uint)number * Spread):x8}";
}
