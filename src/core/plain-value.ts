import type { WireBlock } from '../protocol/index.ts';
import type { CompiledTool } from './compiled-tool.ts';
import { isContent } from './content.ts';
import { isThenable } from './invoke.ts';
import { type OutputLimits, withinLimits } from './output-limits.ts';
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
  // Blocks without a step keep their form: callers may read them as data.
  if (isContent(returned)) {
    const blocks = withinLimits([returned].flat() as WireBlock[], limits);
    return Array.isArray(returned) ? blocks : blocks[0];
  }
  if (!isStep(returned) && typeof returned !== 'string') return returned;
  const { blocks } = toToolOutput(returned, limits);
  const texts = blocks.map((block) => (block.type === 'text' ? block.text : undefined));
  return texts.every((text) => text !== undefined) ? texts.join('') : blocks;
}
