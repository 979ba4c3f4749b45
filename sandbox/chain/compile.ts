// Compiles the sandbox's contracts: `node sandbox/chain/compile.ts` rewrites the committed artifacts.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import solc from 'solc';
import type { Abi, Hex } from 'viem';

/** A compiled contract: its interface, and the creation code, which ends with the constructor's arguments. */
export type ContractArtifact = { abi: Abi; bytecode: Hex };

type CompilerOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>;
};

export const CONTRACT_NAMES = ['LocalUSDC', 'Multicall3'] as const;
export type ContractName = (typeof CONTRACT_NAMES)[number];

const OPENZEPPELIN = '@openzeppelin/contracts';
const openzeppelinFolder = dirname(fileURLToPath(import.meta.resolve('@openzeppelin/contracts/package.json')));

/** The path of a contract's committed artifact. */
export function artifactPath(name: ContractName): string {
  return join(import.meta.dirname, `${name}.json`);
}

/**
 * Compiles one contract of `contracts/` with the pinned solc, optimizer at 200 runs.
 * Throws with the compiler's own message when the source does not compile.
 */
export function compileContract(name: ContractName): ContractArtifact {
  const fileName = `${name}.sol`;
  const input = {
    language: 'Solidity',
    sources: { [fileName]: { content: readFileSync(join(import.meta.dirname, 'contracts', fileName), 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { [fileName]: { [name]: ['abi', 'evm.bytecode.object'] } },
    },
  };
  const readImport = (path: string) => ({
    contents: readFileSync(path.replace(OPENZEPPELIN, openzeppelinFolder), 'utf8'),
  });
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }));
  const errors = output.errors?.filter((entry) => entry.severity === 'error') ?? [];
  const compiled = output.contracts?.[fileName]?.[name];
  if (errors.length > 0 || !compiled) {
    throw new Error(errors.map((entry) => entry.formattedMessage).join('\n') || `${fileName} holds no ${name}`);
  }
  return { abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}` };
}

if (import.meta.main) {
  for (const name of CONTRACT_NAMES) {
    writeFileSync(artifactPath(name), `${JSON.stringify(compileContract(name), null, 1)}\n`);
    console.log(`wrote ${artifactPath(name)}`);
  }
}
