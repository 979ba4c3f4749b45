import { z } from 'zod';

/** Who runs the service, as its pages name them. */
export interface Operator {
  name: string;
  email: string;
}

/** What receipts for the books say of the seller besides its name. */
interface Bookkeeping {
  address: string | null;
  taxId: string | null;
  /** The tax within the price, in hundredths of a percent; 0 for none. */
  taxHundredths: number;
  /** Why there is no tax. */
  untaxedBecause: string;
}

const hundredths = 100;

/** The variables that name the operator, and what its receipts say for the books. */
export const operatorVariables = {
  OPERATOR_NAME: z.string().trim().min(1).max(200).optional(),
  OPERATOR_EMAIL: z.email('must be an e-mail address').optional(),
  SELLER_ADDRESS: z.string().trim().min(1).max(500).optional(),
  SELLER_TAX_ID: z.string().trim().min(1).max(50).optional(),
  TAX_PERCENT: z.coerce.number().min(0).max(50).multipleOf(0.01).default(0),
  UNTAXED_BECAUSE: z.string().trim().min(1).max(300).default('No tax is charged.'),
};

interface Named {
  OPERATOR_NAME?: string | undefined;
  OPERATOR_EMAIL?: string | undefined;
}

/** Who sells, as pages and receipts say it. */
export interface Selling {
  /** Null in a test installation that names nobody. */
  operator: Operator | null;
  bookkeeping: Bookkeeping;
}

/** Who sells. */
export function sellingOf(
  variables: Named & {
    SELLER_ADDRESS?: string | undefined;
    SELLER_TAX_ID?: string | undefined;
    TAX_PERCENT: number;
    UNTAXED_BECAUSE: string;
  },
): Selling {
  const { OPERATOR_NAME: name, OPERATOR_EMAIL: email } = variables;
  return {
    operator: name && email ? { name, email } : null,
    bookkeeping: {
      address: variables.SELLER_ADDRESS ?? null,
      taxId: variables.SELLER_TAX_ID ?? null,
      taxHundredths: Math.round(variables.TAX_PERCENT * hundredths),
      untaxedBecause: variables.UNTAXED_BECAUSE,
    },
  };
}

/** Faults of several variables: live mode must name the seller. */
export function operatorFaults({ OPERATOR_NAME: name, OPERATOR_EMAIL: email }: Named, live: boolean): string[] {
  if (Boolean(name) !== Boolean(email)) return ['OPERATOR_NAME and OPERATOR_EMAIL belong together: set both or none'];
  return live && !name ? ['OPERATOR_NAME and OPERATOR_EMAIL are missing: buyers must know who sells'] : [];
}
