import type { Quantity } from './quantity.ts';
import type { Token } from './token.ts';

/** Currencies and units of measure by their names and signs. */

export const CURRENCIES = new Map(
  '$ usd,usd usd,dollar usd,€ eur,eur eur,euro eur,£ gbp,gbp gbp,pound gbp,¥ jpy,jpy jpy,yen jpy,chf chf,cad cad,aud aud'
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Each unit by its names and their stems: "metres" has the stem "metr". */
export const UNITS = new Map(
  (
    'km kilometer,kilometre kilometer,kilometr kilometer,kilometer kilometer,kilomet kilometer,m meter,metre meter,' +
    'metr meter,meter meter,cm centimeter,centimetre centimeter,centimetr centimeter,centimeter centimeter,' +
    'millimetre millimeter,millimetr millimeter,millimeter millimeter,tonn tonne,ounc ounce,hectar hectare,litr liter,' +
    'centilitre centiliter,centilitr centiliter,centiliter centiliter,millilitre milliliter,millilitr milliliter,' +
    'milliliter milliliter,microgram microgram,milligram milligram,kilogramm kilogram,gramm gram,' +
    'mm millimeter,mile mile,mi mile,ft foot,feet foot,foot foot,inch inch,kg kilogram,kilogram kilogram,g gram,gram gram,' +
    'mg milligram,lb pound,tonne tonne,ton tonne,h hour,hr hour,hour hour,min minute,minut minute,minute minute,second second,sec second,' +
    'ms millisecond,day day,week week,month month,year year,yr year,mb megabyte,gb gigabyte,tb terabyte,kwh kilowatthour,' +
    'w watt,watt watt,tsp teaspoon,teaspoon teaspoon,tbsp tablespoon,tablespoon tablespoon,cup cup,oz ounce,ounce ounce,pint pint,gallon gallon,knot knot,kn knot,mph mileperhour,bar bar,volt volt,hectare hectare,ha hectare,acre acre,kcal kilocalorie,kj kilojoule,ppm ppm,db decibel,decibel decibel,µg microgram,ug microgram,mmol millimole,pmol picomole,nmol nanomole,kw kilowatt,mw megawatt,gw gigawatt,cl centiliter,l liter,litre liter,liter liter,ml milliliter'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

const UNIT_NAMES = new Set(UNITS.values());
const isUnit = (unit: string): boolean => unit.includes('/') || UNIT_NAMES.has(unit);

/** Whether a figure counts a unit of measure, as 320 m does and 320 chairs do not. */
export const isMeasure = ({ unit }: Pick<Quantity, 'unit'>): boolean => isUnit(unit);

const DAY_KINDS = new Set(['working', 'business', 'calendar', 'consecutive', 'full']);

/** What the figure counts that ends at `last`: a unit of measure, a rate, the stem of a word, or nothing. */
export function unitAfter(tokens: readonly Token[], last: number): string {
  let next = tokens[last + 1];
  if (next?.lower === '-') next = tokens[last + 2];
  // "5 working days" are days.
  if (next !== undefined && DAY_KINDS.has(next.lower)) next = tokens[tokens.indexOf(next, last) + 1];
  if (next?.kind !== 'word') return '';
  const at = tokens.indexOf(next, last);
  const rate = tokens[at + 1]?.lower === '/' ? tokens[at + 2]?.lower : undefined;
  // "41 km/h" is no distance.
  if (rate !== undefined && UNITS.has(next.lower) && next.end === tokens[at + 1]?.start)
    return `${UNITS.get(next.lower)}/${UNITS.get(rate) ?? rate}`;
  return UNITS.get(next.lower) ?? UNITS.get(next.stem) ?? next.stem;
}
