import { spawn } from 'node:child_process';

/** Whether there is a browser to open: not in CI, over SSH or in a container without a display. */
export function hasDisplay(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  if (env.CI) return false;
  if (platform === 'darwin' || platform === 'win32') return env.SSH_CONNECTION === undefined;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Opens an address in the person's browser; that there is none is no reason to stop. */
export function openBrowser(url: string): void {
  const [command, ...args] = COMMANDS[process.platform] ?? ['xdg-open'];
  const child = spawn(command as string, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // The address is printed as well.
  child.unref();
}

const COMMANDS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
