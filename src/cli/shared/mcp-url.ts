import { isMcpAddress } from '../../protocol/index.ts';
import { toUrl } from './target.ts';

/** The URL of a target that is an address of MCP; undefined for any other. */
export function mcpUrlOf(target: string): string | undefined {
  const url = toUrl(target);
  return url !== undefined && isMcpAddress(url) ? url : undefined;
}
