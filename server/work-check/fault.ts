export type FaultKind = 'number' | 'date' | 'name' | 'negation' | 'opposite' | 'cell';

/** Where a statement and the evidence part: `contradicts` when the evidence says otherwise, else it is merely not there. */
export type Fault = {
  kind: FaultKind;
  contradicts: boolean;
  claimed: string;
  known: string;
  passage: number;
  distance?: number;
};
