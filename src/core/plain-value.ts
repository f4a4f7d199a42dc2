import type { CompiledTool } from './compiled-tool.ts';
import { isThenable } from './invoke.ts';
import type { OutputLimits } from './output-limits.ts';
import { isStep, toToolOutput } from './step.ts';

/** The same tool for callers outside any episode: where nobody is there to be paid, a step is what it says. */
export function withPlainValues(tool: CompiledTool): CompiledTool {
  const toPlain = (returned: unknown) => toPlainValue(returned, tool);
  return {
    ...tool,
    run(input, context) {
      const returned = tool.run(input, context);
      return isThenable(returned) ? Promise.resolve(returned).then(toPlain) : toPlain(returned);
    },
  };
}

// Text becomes text again, cut where it is too long; pictures have no other form than their blocks.
function toPlainValue(returned: unknown, limits: OutputLimits): unknown {
  if (!isStep(returned) && typeof returned !== 'string') return returned;
  const { blocks } = toToolOutput(returned, limits);
  const texts = blocks.map((block) => (block.type === 'text' ? block.text : undefined));
  return texts.every((text) => text !== undefined) ? texts.join('') : blocks;
}
