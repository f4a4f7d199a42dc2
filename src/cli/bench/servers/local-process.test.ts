import { expect, test } from 'vitest';
import { toListening, toReading } from './local-process.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 222 1 0000 20 4 30 10 -1
   2: 0100007F:F90A 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 333 1 0000 100 0 0 10 0
`;

test('the socket that listens on a port is found among those that only use it', () => {
  expect(toListening(TABLE, 8080)).toEqual(['socket:[111]']);
  expect(toListening(TABLE, 0xf90a)).toEqual(['socket:[333]']);
  expect(toListening(TABLE, 0x90a)).toEqual([]);
  expect(toListening('', 8080)).toEqual([]);
});

test('processor time and memory are read whatever a process is called', () => {
  const stat = '42 (a (b) c) S 1 2 3 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 11 0 1 1 1';
  expect(toReading(stat, 'Name:\ta\nVmRSS:\t    2048 kB\n')).toEqual({ cpuMs: 2_000, memoryBytes: 2 * 1024 * 1024 });
  expect(toReading('', '')).toBeUndefined();
});
