// What every host and every runtime must do, wherever it lives. To check a new one, write a test file that makes it of the
// environments and toolkits beside this file, and hands it to one of these.

export { describeHost } from './host-contract.ts';
export { describeRuntime } from './runtime-contract.ts';
export { describeToolHost } from './tool-contract.ts';
