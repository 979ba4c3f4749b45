import { expect, it } from 'vitest';
import { isDatabaseTrouble } from './database.ts';

const failed = (code: string) => Object.assign(new Error('no connection'), { code });

it('a connection that cannot be made is the database’s trouble, a certificate that ended as well, and nothing else is', () => {
  const codes = [
    'ECONNREFUSED',
    'EMFILE',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ];
  expect(codes.filter((code) => !isDatabaseTrouble(failed(code)))).toEqual([]);
  expect(['ERR_INVALID_ARG_TYPE', 'ENOENT', 'ERR_ASSERTION'].filter((code) => isDatabaseTrouble(failed(code)))).toEqual(
    [],
  );
});
