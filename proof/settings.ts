/** A variable that sets how much a proof does: a whole number. What is none ends the command with 2, and is not taken for 0. */
export function readWholeNumber(name: string, { otherwise, least = 1 }: { otherwise: number; least?: number }): number {
  const given = process.env[name];
  if (given === undefined) return otherwise;
  const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  process.stderr.write(`${name} must be a whole number from ${least}, not '${given}'\n`);
  process.exit(2);
}
