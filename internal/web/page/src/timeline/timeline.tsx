export function TimelineView(_: { id: string }) {
  return <h1>Timeline</h1>;
}
