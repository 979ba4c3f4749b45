import { z } from 'zod';

/** Who runs the service, as its pages name them. */
export interface Operator {
  name: string;
  email: string;
}

/** The variables that name the operator. */
export const operatorVariables = {
  OPERATOR_NAME: z.string().trim().min(1).max(200).optional(),
  OPERATOR_EMAIL: z.email('must be an e-mail address').optional(),
};

interface Named {
  OPERATOR_NAME?: string | undefined;
  OPERATOR_EMAIL?: string | undefined;
}

/** The operator; null if none is named. */
export function operatorOf({ OPERATOR_NAME: name, OPERATOR_EMAIL: email }: Named): Operator | null {
  return name && email ? { name, email } : null;
}

/** Faults of several variables: live mode must name the seller. */
export function operatorFaults({ OPERATOR_NAME: name, OPERATOR_EMAIL: email }: Named, live: boolean): string[] {
  if (Boolean(name) !== Boolean(email)) return ['OPERATOR_NAME and OPERATOR_EMAIL belong together: set both or none'];
  return live && !name ? ['OPERATOR_NAME and OPERATOR_EMAIL are missing: buyers must know who sells'] : [];
}
