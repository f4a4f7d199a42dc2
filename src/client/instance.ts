import { INSTANCE_HEADER } from '../protocol/index.ts';
import { ClientError, type ErrorContext } from './errors.ts';

/** What a client knows of the instance of a server: where the ids of its calls are known, so that repeating one there is safe. */
export class KnownInstance {
  /** The one that answered last. */
  id: string | undefined;
  /** Whether the server names none: one of another make. */
  isNameless = false;
  readonly #earlier = new Set<string>();

  /** Whether several answer by turns, so that nobody can say which one a call will reach. */
  get isShared(): boolean {
    return this.id !== undefined && this.#earlier.has(this.id);
  }

  /** Whether nothing is known yet. */
  get isUnheard(): boolean {
    return this.id === undefined && !this.isNameless;
  }

  hear({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
    const id = headers.get(INSTANCE_HEADER);
    // While a server is not there, a proxy answers for it, and says nothing of its name.
    if (id === null) this.isNameless ||= status < 500 && this.id === undefined;
    else if (id !== this.id && !this.isShared) this.#change(id);
  }

  #change(id: string): void {
    if (this.id !== undefined) this.#earlier.add(this.id);
    this.id = id;
    this.isNameless = false;
  }
}

/** A request was for one instance of a server, and another answered, which has run nothing. */
export class OtherInstance extends ClientError {
  override readonly name: string = 'OtherInstance';
  /** The one that answered. */
  readonly instance: string;

  constructor(instance: string, context: ErrorContext = {}) {
    super('the server has restarted, or another one answers at its address', context);
    this.instance = instance;
  }
}
