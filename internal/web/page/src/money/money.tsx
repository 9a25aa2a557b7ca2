export function MoneyView(_: { id: string }) {
  return <h1>Money</h1>;
}
