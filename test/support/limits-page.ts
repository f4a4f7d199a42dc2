import { LIMIT_NAMES, LIMITS, type LimitName } from '../../src/core/index.ts';

/** The table of limits in docs/configuration.md. */
export function limitsTable(): string {
  const rows = LIMIT_NAMES.map((name) => {
    const { default: value, unit, place, meaning } = LIMITS[name];
    return `| \`${name}\` | ${readable(value)} | ${unit === 'count' ? '' : unit} | ${PLACES[place]} | ${meaning} |`;
  });
  return ['| limit | default | unit | holds for | meaning |', '|---|---:|---|---|---|', ...rows].join('\n');
}

/** The fields of the type `Limits` in src/core/limits.ts. */
export function limitsFields(): string {
  const toField = (name: LimitName) => `  /** ${LIMITS[name].meaning} */\n  ${name}: number;`;
  return LIMIT_NAMES.map(toField).join('\n');
}

const PLACES = {
  server: '`createServer` and the command',
  environments: 'environments',
  toolkits: 'toolkits',
  both: 'both',
};

// 15 000 rather than 15000, without a line break inside.
function readable(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}
