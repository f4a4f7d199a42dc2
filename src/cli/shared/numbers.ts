/** A reward for people: sums of decimals without the dust of binary ones. */
export function toRewardText(reward: number | null): string {
  return reward === null ? 'none' : String(withoutDust(reward));
}

/** The nearest number that somebody would write: 0.3, not 0.30000000000000004. */
export function withoutDust(value: number): number {
  return Number(value.toPrecision(12));
}
