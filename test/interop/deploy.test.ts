import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWithPython } from './python.ts';
import { pythonPath } from './python-process.ts';

// Their checkers are Python packages, which is why this stands here.
function check(command: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(join(dirname(pythonPath('official')), command), args);
}

function deployed(file: string): string {
  return fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url));
}

describeWithPython('what is in deploy/', () => {
  test('the Dockerfile passes hadolint', async () => {
    expect((await check('hadolint', deployed('Dockerfile'))).stdout).toBe('');
  });

  test('the manifest is valid for Kubernetes, each resource of it', async () => {
    const manifest = deployed('kubernetes.yaml');
    // As a module: the command's first line names the folder in which the environment was made.
    const { stdout, stderr } = await check('python', '-m', 'kubernetes_validate', '--strict', manifest);
    expect((stdout + stderr).match(/ passed for resource /g)).toHaveLength(4);
  });

  test('the manifest of a cluster is valid for Kubernetes, each resource of it', async () => {
    const manifest = deployed('cluster.kubernetes.yaml');
    const { stdout, stderr } = await check('python', '-m', 'kubernetes_validate', '--strict', manifest);
    expect((stdout + stderr).match(/ passed for resource /g)).toHaveLength(8);
  });

  test('the compose file of a cluster has the nodes that cluster.nginx.conf names, and the servers of cluster.nats.conf', async () => {
    const read = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
    const { stdout } = await check('python', '-c', read, deployed('cluster.compose.yaml'));
    const { services } = JSON.parse(stdout) as { services: Record<string, object> };
    const named = (file: string, pattern: RegExp) => readFileSync(deployed(file), 'utf8').match(pattern) ?? [];
    const nodes = named('cluster.nginx.conf', /(?<=server )node-\d/g);
    const servers = named('cluster.nats.conf', /nats-\d(?=\.nats)/g);
    expect(Object.keys(services).sort()).toEqual(['nginx', ...nodes, ...servers].sort());
  });

  test('the alerts of a cluster are rules for Prometheus, and those of docs/cluster.md', async () => {
    const read = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
    const { stdout } = await check('python', '-c', read, deployed('cluster.alerts.yaml'));
    const { groups } = JSON.parse(stdout) as { groups: { name: string; rules: Record<string, unknown>[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength(8);
    const page = readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8');
    for (const { alert, expr, annotations, ...rest } of rules) {
      expect(alert).toMatch(/^Tiltyard[A-Za-z]+$/);
      expect(annotations).toMatchObject({ summary: expect.any(String) });
      const lasting = 'for' in rest ? ` for ${rest.for}` : '';
      expect(page).toContain(`| \`${expr}\`${lasting} |`);
    }
  });

  test('the compose file is YAML with the replicas that nginx.conf names', async () => {
    const read = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
    const { stdout } = await check('python', '-c', read, deployed('compose.yaml'));
    const { services } = JSON.parse(stdout) as { services: Record<string, object> };
    expect(Object.keys(services).sort()).toEqual(['nginx', 'replica-1', 'replica-2']);
  });
});
