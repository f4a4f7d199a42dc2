import type { JsonObject } from './json.ts';

/** The supported version of OXP, as bodies name it. */
export const OXP_SCHEMA = 'urn:oxp:1.0';

// The long form of the same: the address of the published description.
const LONG_FORM = /^https?:\/\/\S+\/spec\/http\/1\.0\/openapi\.json$/;

/** Whether a `$schema` names a supported version; absent means the latest. */
export function isSupportedSchema(schema: unknown): boolean {
  return schema === undefined || schema === OXP_SCHEMA || (typeof schema === 'string' && LONG_FORM.test(schema));
}

/** In the `developer_message` to a repeat that comes too late: its call has run, and its result is gone. */
export const RESULT_NOT_KEPT = 'its result is no longer kept';

/** In the `developer_message` of a call that may have run, and that is not run again. */
export const OUTCOME_UNKNOWN = 'it is not known whether it has run';

/** A tool id: `Toolkit.Tool`, `Toolkit.Tool@1` or `Toolkit.Tool@1.0.0`. */
export const TOOL_ID: RegExp = /^([A-Za-z0-9_]+)\.([A-Za-z0-9_]+)(?:@(\d+|\d+\.\d+\.\d+))?$/;

/** What a tool needs before it can be called, as it is published. */
export interface WireRequirements {
  authorization?: JsonObject[];
  secrets?: { id: string }[];
  user_id?: boolean;
}

/** A tool as clients see it. */
export interface ToolDefinition {
  id: string;
  name: string;
  description: string;
  version: string;
  input_schema: JsonObject;
  output_schema: JsonObject | null;
  requirements?: WireRequirements;
}

/** The answer to GET /tools; two keys with the same list, because clients read one or the other. */
export interface ToolList {
  $schema: string;
  items: readonly ToolDefinition[];
  tools: readonly ToolDefinition[];
}

/** What the caller hands to the tool. */
export interface WireCallContext {
  authorization?: { id: string; token: string }[];
  secrets?: { id: string; value: string }[];
  user_id?: string;
}

/** A call as it is sent. */
export interface CallToolRequest {
  call_id?: string;
  trace_id?: string;
  tool_id: string;
  input?: JsonObject;
  context?: WireCallContext;
}

/** A failure that a tool reports, for the model and for developers. */
export interface WireToolError {
  message: string;
  developer_message?: string;
  can_retry?: boolean;
  additional_prompt_content?: string;
  retry_after_ms?: number;
}

/** What is missing before a tool can be called. */
export interface MissingRequirements {
  authorization?: { id: string; url: string }[];
  secrets?: { id: string }[];
  user_id?: boolean;
}

/** The body of everything that fails before a tool runs, except its input. */
export interface ServerErrorBody {
  $schema: string;
  message: string;
  developer_message?: string;
  missing_requirements?: MissingRequirements;
}

/** The body of a refused input. */
export interface ValidationErrorBody {
  $schema: string;
  message: string;
  parameter_errors: Record<string, string>;
}
