#!/usr/bin/env bash
# Restores a copy of the repository from sources that have one package only in a later version than requested.
# The restore must succeed, and name the later version in one line.
set -euo pipefail
cd "$(dirname "$0")/.."

name=Throttled.LaterVersion
work=$(mktemp -d)
cache=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
clean() { rm -rf "$work" "${cache:?}/${name,,}"; }
trap clean EXIT

mkdir "$work/source" "$work/package"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done |
    tar --null -T - -c | tar -x -C "$work" --one-top-level=clone

cat >"$work/package/$name.csproj" <<'XML'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <Version>1.0.1</Version>
  </PropertyGroup>
</Project>
XML
dotnet pack "$work/package" -o "$work/source" >"$work/log" || { cat "$work/log"; exit 1; }

cd "$work/clone"
sed -i "s#</Project>#<ItemGroup><PackageVersion Include=\"$name\" Version=\"1.0.0\" /></ItemGroup></Project>#" Directory.Packages.props
for project in src/Throttled.Journal/Throttled.Journal.csproj tests/Throttled.Conventions/Throttled.Conventions.csproj; do
    sed -i "s#</Project>#<ItemGroup><PackageReference Include=\"$name\" /></ItemGroup></Project>#" "$project"
done
dotnet new nugetconfig >/dev/null
dotnet nuget add source "$work/source" --name later >/dev/null
output=$(./build.sh restore) || { echo "$output"; echo "error: a later version of one package made the restore fail." >&2; exit 1; }
[ "$output" = "The package sources lack these versions; later ones are used instead: $name 1.0.0: $name 1.0.1" ] ||
    { echo "error: the restore was expected to name $name 1.0.1 in one line; it said: $output" >&2; exit 1; }
dotnet build src/Throttled.Journal -c Release --no-restore >"$work/log" || { cat "$work/log"; echo "error: a later version made the build fail." >&2; exit 1; }
echo "A restore from a source that holds only a later version of $name succeeds: $output"
