import { expect, onTestFinished, test } from 'vitest';
import { onProcess } from './process-events.ts';

const EVENT = 'uncaughtExceptionMonitor';

test('any number of listeners are one to the process, and the last one takes it along', () => {
  const before = process.listenerCount(EVENT);
  const heard: number[] = [];
  const stops = Array.from({ length: 20 }, (_, number) => onProcess(EVENT, () => heard.push(number)));
  onTestFinished(() => stops.forEach((stop) => void stop()));
  expect(process.listenerCount(EVENT)).toBeLessThanOrEqual(before + 1);
  stops[0]?.();
  (process as NodeJS.EventEmitter).emit(EVENT, new Error('nobody caught it'), 'uncaughtException');
  expect(heard).toEqual(Array.from({ length: 19 }, (_, index) => index + 1));
  for (const stop of stops) stop();
  expect(process.listenerCount(EVENT)).toBeLessThanOrEqual(before);
});

test('who stops twice stops nobody else', () => {
  const heard: string[] = [];
  const stop = onProcess(EVENT, () => heard.push('first'));
  stop();
  const stopSecond = onProcess(EVENT, () => heard.push('second'));
  onTestFinished(stopSecond);
  stop();
  (process as NodeJS.EventEmitter).emit(EVENT, new Error('nobody caught it'), 'uncaughtException');
  expect(heard).toEqual(['second']);
});
