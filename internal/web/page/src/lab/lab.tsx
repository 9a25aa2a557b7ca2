export function LabView(_: { id: string }) {
  return <h1>Lab</h1>;
}

export function AllLabView() {
  return <h1>Lab</h1>;
}
