/**
 * Makes the package of the buyer's client in the folder given: one file for each entry, with everything it needs, so
 * that it depends on nothing, its types, and a bill of what is inside. `npm publish --provenance` runs there, in the release.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { writeClientTypes } from './client-types.ts';

const root = path.resolve(import.meta.dirname, '..');
const worker = 'server/work-check/deterministic/schema-worker.ts';

export async function packClient(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    input: {
      'work-check': 'client/work-check.ts',
      buyer: 'client/index.ts',
      'schema-worker': worker,
    },
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'worker-address',
        transform: (code, id) =>
          id.endsWith('work-product-schema.ts') ? code.replace("'./schema-worker.ts'", "'./schema-worker.js'") : null,
      },
    ],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  });
  await bundle.close();
  const { version, license, engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: 'work-check',
    version,
    license,
    description: 'Buys work checks, and verifies purchases offline.',
    ...repositoryIn(process.env),
    type: 'module',
    engines,
    bin: { 'work-check': './work-check.js' },
    exports: { '.': { types: './types/index.d.ts', default: './buyer.js' }, './vectors.json': './vectors.json' },
    publishConfig: { access: 'public', provenance: true },
  };
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const bill = billOf(manifest, modules);
  writeFileSync(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 1)}\n`);
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeClientTypes(path.join(folder, 'types'));
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  copyFileSync(path.join(root, 'client/README.md'), path.join(folder, 'README.md'));
  copyFileSync(path.join(root, 'client/vectors.json'), path.join(folder, 'vectors.json'));
}

/**
 * The repository whose release this is, as GitHub Actions and GitLab CI name it: npm takes a package with provenance only
 * where its manifest names the repository that the provenance does.
 */
function repositoryIn({ GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL }: NodeJS.ProcessEnv) {
  const page = GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL;
  return page ? { repository: { type: 'git', url: `git+${page}.git` } } : {};
}

/** The packages that modules come from, as CycloneDX 1.6 lists them: npm sees no dependency of a bundle. */
function billOf({ name, version, license }: Package, modules: readonly string[]): object {
  const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []);
  const packages = [...new Set(folders)].map((at) => JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf({ name, version, license }) },
    components: packages.map(componentOf).toSorted((a, b) => a.purl.localeCompare(b.purl)),
  };
}

interface Package {
  name: string;
  version: string;
  license: string;
}

function componentOf({ name, version, license }: Package) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ expression: license }] };
}

if (import.meta.main) await packClient(path.resolve(process.argv[2] ?? 'dist/client'));
