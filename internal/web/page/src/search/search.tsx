export function SearchView(_: { id: string }) {
  return <h1>Search</h1>;
}
