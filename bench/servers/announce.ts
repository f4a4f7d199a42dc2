/** Tells the benchmark where the server listens, and afterwards how much processor time it has used. */
export function announce(port: number): void {
  process.on('message', (question) => {
    if (question !== 'cpu') return;
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000 });
  });
  process.on('SIGINT', () => process.exit(0));
  process.send?.({ port });
}
