// One attack in a process of its own, so that what it does is not measured with the server: PORT and ATTACK say which.
import { ATTACKS } from './attacks.ts';

const { PORT = '', ATTACK = '' } = process.env;
const seen = await ATTACKS[ATTACK]?.(Number(PORT));
process.send?.(seen);
// Holds what it has until it is ended.
setInterval(() => {}, 60_000);
