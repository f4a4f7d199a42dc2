/** A text that somebody looks for, whatever its case. */
export class WantedText {
  readonly text: string;
  readonly #json: string;

  constructor(text: string) {
    this.text = text.trim().toLowerCase();
    this.#json = JSON.stringify(this.text).slice(1, -1);
  }

  isIn(text: string): boolean {
    return text.toLowerCase().includes(this.text);
  }

  /** Whether a line of JSON may say it: most have it nowhere, and need not be parsed. */
  mayBeIn(json: string): boolean {
    return json.toLowerCase().includes(this.#json);
  }
}
