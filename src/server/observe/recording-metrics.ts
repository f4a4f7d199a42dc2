import { type Published, publishCounter, publishGauge } from './publish.ts';

/** What there is to know of the records that a server writes. */
export interface RecordingNumbers {
  /** Events that were written, and those that could not be, since the server started. */
  written: number;
  dropped: number;
  /** What all records in the folder take. */
  bytes: number;
}

/** How much is recorded, and how much is missing. */
export function recordingMetrics(numbers: Readonly<RecordingNumbers>): Published {
  return {
    publish(registry) {
      publishCounter(registry, {
        name: 'tiltyard_record_events_total',
        help: 'Events of episodes, by whether they were written to a record or dropped.',
        labelNames: ['result'],
        read: () => [
          [{ result: 'written' }, numbers.written],
          [{ result: 'dropped' }, numbers.dropped],
        ],
      });
      publishGauge(registry, {
        name: 'tiltyard_record_bytes',
        help: 'Disk space that the folder of records takes.',
        read: () => numbers.bytes,
      });
    },
  };
}
