import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { BodyChunks } from './body-chunks.ts';

/**
 * A request that can give its body away as text, in the moment in which Node has read the last of it. A stream tells the same in five
 * events, each with a turn in the queue of ticks, which is a tenth of what a call costs.
 */
export class WholeRequest extends IncomingMessage {
  /** Node's own mark: it need not have the stream flow, for the sake of the next request, when this one is answered. */
  declare _dumped: boolean;
  #onWhole: ((text: string) => void) | undefined;
  // Nearly all come in one piece.
  #body: Buffer | BodyChunks | undefined;

  static {
    // Node asks this before it forgets a request that was answered. Not in the usual way, since its types have a property here.
    const { get } = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded') as PropertyDescriptor;
    const isEnded = (request: WholeRequest) => (request.#onWhole === undefined ? get?.call(request) : request.complete);
    Object.defineProperty(WholeRequest.prototype, 'readableEnded', {
      get() {
        return isEnded(this);
      },
    });
  }

  /** Whether some of its body has been read into the stream. */
  get hasBegun(): boolean {
    return this.complete || this.readableLength > 0;
  }

  /** Takes the body instead of the stream, before it has begun. Nothing is called if the client leaves before its body is whole. */
  whenWhole(onWhole: (text: string) => void): void {
    this.#onWhole = onWhole;
  }

  /** Node adds each piece to the stream in this way, and `null` at the end. */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.#onWhole === undefined) return super.push(piece, encoding);
    const body = this.#body;
    if (piece === null) {
      this._dumped = true;
      this.#body = undefined;
      this.#onWhole(body?.toString() ?? '');
    } else this.#body = body === undefined ? piece : BodyChunks.of(body).add(piece);
    return true;
  }
}
