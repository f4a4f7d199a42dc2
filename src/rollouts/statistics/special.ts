/** The natural logarithm of the gamma function (Lanczos, g = 7), for positive numbers. */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const z = x - 1;
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + (index === 0 ? 0 : coefficient / (z + index)),
    LANCZOS[0],
  );
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

const LANCZOS: readonly [number, ...number[]] = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The regularized incomplete beta function, by its continued fraction. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast only on this side.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return (front / a) * betaFraction(x, a, b);
}

const TINY = 1e-300;
const PRECISION = 1e-16;
const MAX_TERMS = 10_000;

// Lentz's method: numerators and denominators are kept away from zero.
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m < MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const change = d * c;
    result *= change;
    if (Math.abs(change - 1) < PRECISION) break;
  }
  return result;
}

function away(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** The probability that Student's t with so many degrees of freedom is at most `t`. */
export function studentCdf(t: number, degrees: number): number {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

/** The value that Student's t stays below with this probability: found by halving, to the last bit that matters. */
export function studentQuantile(probability: number, degrees: number): number {
  if (probability === 0.5) return 0;
  if (probability < 0.5) return -studentQuantile(1 - probability, degrees);
  // Of the upper tail, which loses no digits where the probability is close to 1.
  const tail = 1 - probability;
  const tailOf = (t: number) => incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  let low = 0;
  let high = 1;
  while (tailOf(high) > tail) high *= 2;
  for (let step = 0; step < 200 && high - low > Number.EPSILON * high; step += 1) {
    const middle = (low + high) / 2;
    if (tailOf(middle) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The value that a normal variable stays below with probability 0.975. */
export const NORMAL_975 = 1.959963984540054;
