/** A text for a message, which does not grow with what somebody sent. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // A copy: a slice would keep the whole text in memory for as long as the message lives.
  return `${Buffer.from(text.slice(0, characters)).toString()}…`;
}
