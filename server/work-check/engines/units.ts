/** Units that convert into each other: how many of the base one of each holds. */
const FAMILIES: readonly Readonly<Record<string, number>>[] = [
  { kilometer: 1000, meter: 1, centimeter: 0.01, millimeter: 0.001 },
  { tonne: 1e6, kilogram: 1000, gram: 1, milligram: 0.001 },
  { liter: 1, milliliter: 0.001, centiliter: 0.01 },
  { year: 12, month: 1 },
  { week: 10080, day: 1440, hour: 60, minute: 1, second: 1 / 60, millisecond: 1 / 60_000 },
  { terabyte: 1e6, gigabyte: 1000, megabyte: 1 },
  { gigawatt: 1e6, megawatt: 1000, kilowatt: 1, watt: 0.001 },
];

/** `value` of one unit in another; undefined where the two do not convert. */
export function convert(value: number, from: string, to: string): number | undefined {
  const family = FAMILIES.find((units) => Object.hasOwn(units, from) && Object.hasOwn(units, to));
  const [a, b] = [family?.[from], family?.[to]];
  return a === undefined || b === undefined ? undefined : (value * a) / b;
}

/** "48.2 centimeters". */
export const inUnits = (value: number, unit: string): string => `${value} ${unit}${value === 1 ? '' : 's'}`;

const COLUMN_UNITS = new Map(
  (
    'kg kilogram,g gram,mg milligram,l liter,litres liter,liters liter,ml milliliter,km kilometer,m meter,cm centimeter,mm millimeter,' +
    'months month,month month,years year,year year,days day,weeks week,hours hour,minutes minute,seconds second,h hour,hrs hour,min minute,mins minute,sec second,secs second,s second,ms millisecond,' +
    'eur eur,usd usd,gbp gbp,chf chf,percent %,pct %,kwh kilowatthour,w watt,kw kilowatt,mb megabyte,gb gigabyte'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** The unit that a column's name gives at its end, as `weight_kg` or `capacity_l_per_day`; empty when it gives none. */
export function unitOfColumn(column: string): string {
  const words = column.split(' ');
  const per = words.indexOf('per');
  const last = per > 0 ? words[per - 1] : words.at(-1);
  return words.length > 1 ? (COLUMN_UNITS.get(last ?? '') ?? '') : '';
}

/** What names of fields and texts write for units, short or long. */
export const UNIT_WORDS: ReadonlySet<string> = new Set(
  (
    'gbp eur usd chf euro euros dollars pounds sqm m2 km kg g mg l ml cm mm m kwh kw w v a db c rpm mb gb percent pct % ' +
    'days day weeks week months month years year hours hour minutes minute min sec seconds mmol per iso'
  ).split(' '),
);
