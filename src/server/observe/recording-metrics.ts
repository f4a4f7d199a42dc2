import { Counter, Gauge, type Registry } from 'prom-client';

/** What there is to know of the records that a server writes. */
export interface RecordingNumbers {
  /** Events that were written, and those that could not be, since the server started. */
  written: number;
  dropped: number;
  /** What all records in the folder take. */
  bytes: number;
}

/** Shows how much is recorded, and how much is missing. */
export function publishRecording(registry: Registry, numbers: Readonly<RecordingNumbers>): void {
  const registers = [registry];
  new Counter({
    name: 'tiltyard_record_events_total',
    help: 'Events of episodes, by whether they were written to a record or dropped.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'written' }, numbers.written);
      this.inc({ result: 'dropped' }, numbers.dropped);
    },
  });
  new Gauge({
    name: 'tiltyard_record_bytes',
    help: 'Disk space that the folder of records takes.',
    registers,
    collect() {
      this.set(numbers.bytes);
    },
  });
}
