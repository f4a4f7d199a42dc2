import { ModelFailure } from './model-failure.ts';

// Far more than any model writes, images included: whoever sends more would only fill the memory.
const MOST_MB = 64;

/** Reads what a model's server answered, to its end or until it is too much. */
export async function readBody({ body }: Pick<Response, 'body'>): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.length;
    if (bytes > MOST_MB * 1024 * 1024) {
      // The failure is known: how the connection takes its end changes nothing.
      void reader.cancel().catch(() => {});
      throw new ModelFailure(
        'model_error',
        `the model's server sent more than ${MOST_MB} MB, which is not read further`,
      );
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}
