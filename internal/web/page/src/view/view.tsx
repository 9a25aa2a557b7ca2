export function ModelView(_: { id: string }) {
  return <h1>What a model sees</h1>;
}
