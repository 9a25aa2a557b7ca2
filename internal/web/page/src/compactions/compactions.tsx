export function CompactionsView(_: { id: string }) {
  return <h1>Compactions</h1>;
}
