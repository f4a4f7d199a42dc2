import { RunOptionError } from '../option-error.ts';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { openAIChat } from './openai-chat.ts';
import { openAIResponses } from './openai-responses.ts';
import type { Wire } from './wire.ts';

/** A model, and where it is reached. */
export interface ModelAddress {
  /** As it was written: `provider/name[@base-url]`. */
  readonly text: string;
  readonly name: string;
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly isOwnServer: boolean;
  /** The environment variables that may hold the key, in this order. */
  readonly keyVariables: readonly string[];
}

interface Provider {
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly keyVariables: readonly string[];
}

const OPENAI = { baseUrl: 'https://api.openai.com/v1', keyVariables: ['OPENAI_API_KEY'] };

const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { ...OPENAI, wire: openAIResponses },
  'openai-responses': { ...OPENAI, wire: openAIResponses },
  'openai-chat': { ...OPENAI, wire: openAIChat },
  anthropic: { wire: anthropic, baseUrl: 'https://api.anthropic.com/v1', keyVariables: ['ANTHROPIC_API_KEY'] },
  google: {
    wire: google,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  openrouter: { wire: openAIChat, baseUrl: 'https://openrouter.ai/api/v1', keyVariables: ['OPENROUTER_API_KEY'] },
};

/** The variable with the key of a server that a person names: the provider's own key is not for it. */
const OWN_KEY_VARIABLE = 'TILTYARD_MODEL_API_KEY';

const UNFINISHED_URL = /@((?:localhost|[\w.-]+:\d+)(?:\/.*)?)$/;

/** Reads `provider/name[@base-url]`. */
export function parseModel(text: string): ModelAddress {
  const [, provider = '', name = '', url] = /^([^/]+)\/(.+?)(?:@(https?:\/\/.*))?$/.exec(text) ?? [];
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (known === undefined || name === '')
    throw new RunOptionError(
      `'${text}' is not a model: write provider/name or provider/name@base-url, with one of these providers: ${Object.keys(PROVIDERS).join(', ')}`,
    );
  // Without its scheme it would be part of the name, and the provider would get what is meant for another server.
  const [, host] = UNFINISHED_URL.exec(name) ?? [];
  if (host !== undefined)
    throw new RunOptionError(`the base URL of a model begins with http:// or https://: write ...@http://${host}`);
  if (url === undefined) return { text, name, ...known, isOwnServer: true };
  if (!URL.canParse(url))
    throw new RunOptionError(`'${url}' is not a valid base URL. Write it like http://localhost:8000/v1`);
  if (new URL(url).username !== '')
    throw new RunOptionError(
      `the base URL of a model must not hold a key: set the variable ${OWN_KEY_VARIABLE} instead`,
    );
  const baseUrl = url.replace(/\/+$/, '');
  return { text, name, wire: known.wire, baseUrl, isOwnServer: false, keyVariables: [OWN_KEY_VARIABLE] };
}

/** The key of a model, from the environment only: command lines and files can be read by others. */
export function keyFor({ keyVariables, isOwnServer, text }: ModelAddress, variables: NodeJS.ProcessEnv): string {
  const key = keyVariables.map((name) => variables[name]).find((value) => value !== undefined && value !== '');
  if (key === undefined && isOwnServer)
    throw new RunOptionError(`${text} needs an API key: set the environment variable ${keyVariables.join(' or ')}`);
  return key ?? '';
}
