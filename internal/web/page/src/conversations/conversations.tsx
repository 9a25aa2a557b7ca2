export function ConversationsView(_: { id: string }) {
  return <h1>Conversations</h1>;
}
