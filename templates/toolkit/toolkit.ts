import { ToolError, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

const unit = z.enum(['celsius', 'fahrenheit']);

const convert = tool({
  description: 'Convert a temperature from one unit to the other.',
  version: '1.0.0',
  input: z.object({ degrees: z.number(), from: unit, to: unit }),
  output: z.number(),
  // It changes nothing, so the server may run a call again after a crash. Leave it out for a tool that must not run twice.
  effects: 'idempotent',
  run({ degrees, from, to }) {
    const celsius = from === 'celsius' ? degrees : ((degrees - 32) * 5) / 9;
    // What a ToolError says is for the model to read: it tells how to do better.
    if (celsius < -273.15) throw new ToolError('Nothing is that cold: absolute zero is -273.15 degrees Celsius');
    return to === 'celsius' ? celsius : (celsius * 9) / 5 + 32;
  },
});

/** A tool to begin with. Agents call it as TemplateName.Convert. */
export const templateNameToolkit = toolkit({ name: 'TemplateName', tools: { Convert: convert } });
