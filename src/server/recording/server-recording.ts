import { resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ReturnErrors } from '../http/errors.ts';
import { prepareFolder } from './folder.ts';
import { DEFAULT_MAX_BYTES, type RecordOption } from './option.ts';
import { Recorder } from './recorder.ts';

// A disk that takes longer than this for what is left hangs.
const PATIENCE_MS = 10_000;

/** Starts to record what a server does, until it closes. */
export function startRecording(
  app: FastifyInstance,
  { folder, maxBytes = DEFAULT_MAX_BYTES }: RecordOption,
  returnErrors: ReturnErrors,
): Recorder {
  const path = resolve(folder);
  prepareFolder(path);
  const recorder = new Recorder({ folder: path, maxBytes, log: app.log, returnErrors });
  // Before any other such hook is added, and so after all of them: sessions tell of their end.
  app.addHook('onClose', () => recorder.close(PATIENCE_MS));
  return recorder;
}
