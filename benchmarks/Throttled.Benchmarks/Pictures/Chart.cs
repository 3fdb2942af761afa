using OxyPlot;
using OxyPlot.Axes;
using OxyPlot.Legends;
using OxyPlot.Series;

namespace Throttled.Benchmarks.Pictures;

/// <summary>A chart as SVG, readable on a light and on a dark page.</summary>
internal sealed class Chart
{
    // The style sheet replaces these colours on a dark page.
    private static readonly OxyColor Ink = OxyColor.FromRgb(28, 37, 48);
    private static readonly OxyColor Rule = OxyColor.FromRgb(201, 209, 220);

    // Of Okabe and Ito, for all kinds of colour vision: https://jfly.uni-koeln.de/color/
    private static readonly OxyColor[] Colours =
        [OxyColor.FromRgb(0, 114, 178), OxyColor.FromRgb(213, 94, 0), OxyColor.FromRgb(0, 158, 115), OxyColor.FromRgb(204, 121, 167)];

    private const string Style = """
        <style>
          text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif !important; }
          @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 !important; }
            [style*="stroke:rgb(28,37,48)"] { stroke: #e6edf3 !important; }
            [style*="stroke:rgb(201,209,220)"] { stroke: #3d4653 !important; }
            .back { fill: #0d1117; }
          }
        </style>
        """;

    private readonly PlotModel _model;

    /// <param name="left">The room for the texts of the vertical axis, in points. OxyPlot measures them narrower than some fonts are.</param>
    internal Chart(string title, Axis across, Axis up, double left = 100)
    {
        _model = new()
        {
            Title = title,
            TitleFontSize = 17,
            TitleFontWeight = 600,
            TextColor = Ink,
            PlotAreaBorderThickness = new(0),
            PlotMargins = new(left, double.NaN, 30, double.NaN),
            DefaultFontSize = 14,
            Padding = new(12),
        };
        _model.Legends.Add(new Legend { LegendPlacement = LegendPlacement.Outside, LegendPosition = LegendPosition.BottomCenter, LegendOrientation = LegendOrientation.Horizontal });
        foreach (var axis in (Axis[])[across, up])
        {
            axis.AxislineStyle = LineStyle.Solid;
            axis.AxislineColor = axis.TicklineColor = Ink;
            axis.MajorGridlineColor = Rule;
            axis.AxisTitleDistance = axis.IsVertical() ? 24 : 8;
            _model.Axes.Add(axis);
        }
        up.MajorGridlineStyle = LineStyle.Solid;
    }

    internal static Axis Linear(string title, AxisPosition position) =>
        new LinearAxis { Title = title, Position = position, Minimum = 0, MaximumPadding = 0.12, MinorTickSize = 0, StringFormat = "#,0.##" };

    internal static Axis Logarithmic(string title, AxisPosition position)
    {
        var axis = new LogarithmicAxis { Title = title, Position = position, MinimumPadding = 0.05, MaximumPadding = 0.05, StringFormat = "#,0.##", MinorTickSize = 0 };
        // Room for a label such as "100,000,000".
        if (position == AxisPosition.Bottom)
            axis.IntervalLength = 110;
        return axis;
    }

    internal static Axis Names(IEnumerable<string> names, AxisPosition position)
    {
        var axis = new CategoryAxis { Position = position, GapWidth = 0.4 };
        axis.Labels.AddRange(names);
        return axis;
    }

    internal Chart Line(string name, IEnumerable<(double X, double Y)> points, bool isDashed = false, bool hasMarkers = true)
    {
        var series = new LineSeries
        {
            Title = Legend(name),
            Color = Colours[_model.Series.Count % Colours.Length],
            StrokeThickness = 2.5,
            LineStyle = isDashed ? LineStyle.Dash : LineStyle.Solid,
            MarkerType = hasMarkers ? MarkerType.Circle : MarkerType.None,
            MarkerSize = 4,
        };
        series.Points.AddRange(points.Select(point => new DataPoint(point.X, point.Y)));
        _model.Series.Add(series);
        return this;
    }

    internal Chart Bars(string name, IEnumerable<double> values)
    {
        var series = new BarSeries { Title = Legend(name), FillColor = Colours[_model.Series.Count % Colours.Length], LabelFormatString = "{0:#,0}", LabelPlacement = LabelPlacement.Outside, LabelMargin = 16 };
        series.Items.AddRange(values.Select(value => new BarItem(value)));
        _model.Series.Add(series);
        return this;
    }

    // Room for fonts that are wider than OxyPlot measures them.
    private static string Legend(string name) => name + new string('\u00A0', 4 + (name.Length / 2));

    /// <summary>The picture. The same chart always gives the same text.</summary>
    internal string ToSvg()
    {
        const int width = 800;
        const int height = 440;
        _model.IsLegendVisible = _model.Series.Count > 1;
        var svg = SvgExporter.ExportToString(_model, width, height, isDocument: false);
        svg = svg[svg.IndexOf("<svg", StringComparison.Ordinal)..];
        var body = svg.IndexOf('>', StringComparison.Ordinal) + 1;
        return $"{svg[..body]}\n{Style}\n<rect class=\"back\" width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\"/>{svg[body..]}\n".ReplaceLineEndings("\n");
    }
}
