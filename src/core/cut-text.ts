/** A text for a message, which does not grow with what somebody sent. */
export function cutText(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}
