import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface ComposeService {
  image?: string;
  command?: string[];
  env_file?: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  stop_grace_period?: string;
}

const compose = parse(textOf('compose.yaml'), { merge: true }) as {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
};

describe('the Dockerfile', () => {
  const warned = (text: string) =>
    validate(text, { instructionCasing: ValidationSeverity.ERROR }).map(
      ({ message, range }) => `${range.start.line + 1}: ${message}`,
    );

  it('has no fault that its linter knows', () => {
    expect(warned(textOf('Dockerfile'))).toEqual([]);
    expect(warned('FROM node\nCOPPY . .\n')).not.toEqual([]);
  });

  it('runs without rights, from an exact image, and starts what is there', () => {
    const text = textOf('Dockerfile');
    for (const [, image = ''] of text.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/:\d+\.\d+\.\d+-/);
    expect(text).toMatch(/^USER node$/m);
    const [, command = '[]'] = /^CMD (.+)$/m.exec(text) ?? [];
    expect(existsSync(path.join(root, JSON.parse(command)[1]))).toBe(true);
  });

  it('gives the volume of keys to who writes them, and holds no chain and no cache of the build', () => {
    const text = textOf('Dockerfile');
    const [, folder = ''] = /\bkeys:\/app\/([\w.]+)/.exec(textOf('compose.yaml')) ?? [];
    expect(text).toMatch(new RegExp(`^RUN chown node:node ${folder.replace('.', '\\.')}$[^]*^USER node$`, 'm'));
    expect(text).toMatch(/rm -rf \.next\/cache node_modules\/@foundry-rs/);
    expect(textOf('server/start.ts')).not.toContain('foundry');
  });

  it('keeps secrets and data out of the image', () => {
    expect(textOf('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.env', '.data', '.git', 'node_modules']),
    );
  });
});

describe('compose.yaml', () => {
  it('has a database, its migration, a web process and a worker, each in its turn', () => {
    expect(Object.keys(compose.services)).toEqual(['database', 'migrate', 'web', 'worker']);
    for (const [name, { depends_on = {} }] of Object.entries(compose.services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        expect(Object.keys(compose.services), name).toContain(other);
        if (condition === 'service_healthy') expect(compose.services[other]?.healthcheck, other).toBeDefined();
      }
    }
  });

  it('starts what is there, and names no volume that is not', () => {
    for (const [name, { command, volumes = [] }] of Object.entries(compose.services)) {
      if (command) expect(existsSync(path.join(root, command[1] ?? '')), name).toBe(true);
      for (const volume of volumes) expect(Object.keys(compose.volumes), name).toContain(volume.split(':')[0]);
    }
  });

  it('publishes the web process to this machine alone, and figures and database to nobody', () => {
    const ports = Object.entries(compose.services).flatMap(([name, { ports = [] }]) => ports.map((one) => [name, one]));
    expect(ports).toEqual([['web', '127.0.0.1:3000:3000']]);
  });

  it('holds no secret of its own, and gives processes longer to stop than they take', () => {
    expect(textOf('compose.yaml')).not.toMatch(/PASSWORD: (?!\$\{POSTGRES_PASSWORD:\?)/);
    for (const name of ['web', 'worker']) {
      expect(Number.parseInt(compose.services[name]?.stop_grace_period ?? '0', 10)).toBeGreaterThanOrEqual(15);
    }
  });
});
