import { ClientError, type ErrorContext } from './errors.ts';

/** What a tool needs of its caller and did not get. */
export interface MissingRequirements {
  /** Where the user can grant what is missing. */
  readonly authorization: readonly { readonly id: string; readonly url: string }[];
  readonly secrets: readonly string[];
  readonly userId: boolean;
}

/** What a server said besides the message. */
export interface OxpServerErrorDetails {
  readonly developerMessage?: string | undefined;
  readonly missingRequirements?: MissingRequirements | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The request was refused before any tool ran: credentials, an unknown tool, or something that the tool needs (400, 401). */
export class OxpServerError extends ClientError {
  override readonly name: string = 'OxpServerError';
  /** The detail; not for users and models. */
  readonly developerMessage: string | undefined;
  /** What to get from the user before calling again. */
  readonly missingRequirements: MissingRequirements | undefined;
  /** When a server that cannot answer now may be asked again; the client does so by itself. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: OxpServerErrorDetails = {}, context: ErrorContext = {}) {
    super(message, context);
    this.developerMessage = details.developerMessage;
    this.missingRequirements = details.missingRequirements;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    const { developerMessage, missingRequirements, retryAfterMs } = this;
    return { ...super.toJSON(), developerMessage, missingRequirements, retryAfterMs };
  }
}

/** The input does not fit the tool's schema (422): give `parameterErrors` to the model. The tool has not run. */
export class OxpValidationError extends ClientError {
  override readonly name: string = 'OxpValidationError';
  /** What is wrong with each parameter. */
  readonly parameterErrors: Readonly<Record<string, string>>;

  constructor(message: string, parameterErrors: Readonly<Record<string, string>>, context: ErrorContext = {}) {
    super(message, { ...context, outcome: 'tool_error' });
    this.parameterErrors = parameterErrors;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), parameterErrors: this.parameterErrors };
  }
}

/** What a tool said of its failure besides the message. */
export interface OxpToolErrorDetails {
  readonly developerMessage?: string | undefined;
  readonly canRetry?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly additionalPromptContent?: string | undefined;
}

/** The tool ran and failed: give the message, and `additionalPromptContent` if there is any, to the model. */
export class OxpToolError extends ClientError {
  override readonly name: string = 'OxpToolError';
  /** The detail; not for users and models. */
  readonly developerMessage: string | undefined;
  /** Whether the same call may succeed later. The client has tried as often as it was allowed to. */
  readonly canRetry: boolean;
  readonly retryAfterMs: number | undefined;
  /** What helps the model to call again, such as values that exist. */
  readonly additionalPromptContent: string | undefined;

  constructor(message: string, details: OxpToolErrorDetails = {}, context: ErrorContext = {}) {
    super(message, { outcome: 'tool_error', ...context });
    this.developerMessage = details.developerMessage;
    this.canRetry = details.canRetry ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.additionalPromptContent = details.additionalPromptContent;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    const { developerMessage, canRetry, retryAfterMs, additionalPromptContent } = this;
    return { ...super.toJSON(), developerMessage, canRetry, retryAfterMs, additionalPromptContent };
  }
}
