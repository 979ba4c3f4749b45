import { type Kind, notAssessable, type Reader } from './reader.ts';

/** "Matches the schema": the answer of the check that applied the schema sent with the request. */
const readSchema: Reader = (_, { schema: outcome }) => {
  if (outcome === undefined || outcome === 'skipped')
    return notAssessable('The request gives no expected_schema that could be applied to the work.');
  return outcome === 'passed'
    ? { status: 'met', reason: 'The work fits the expected_schema of the request.', passages: [] }
    : { status: 'contradicted', reason: 'The work does not fit the expected_schema of the request.', passages: [] };
};

export const schema: Kind = {
  name: 'schema',
  basis: 'form',
  counts: true,
  decides: 'whether structured work fits the schema sent with the request',
  known:
    /^(?:the )?(?:\p{L}+ ){0,3}(?:match(?:es)?|fits?|follows?|conforms? to|complies with|valid(?:ates)? against|keeps? to) (?:the |our |its )?(?:\p{L}+ )?schema\b[^,;]{0,12}$/iu,
  read: readSchema,
};
