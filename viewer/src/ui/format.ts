// Formats numbers for display.

/**
 * Four significant digits. Integers stay integers; very large or small numbers have three digits and an
 * exponent.
 */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value).replace('-', '−');
  const size = Math.abs(value);
  const text = size >= 1e4 || size < 1e-3 ? value.toExponential(2) : value.toPrecision(4);
  return text.replace(/^-/, '−').replace(/e\+?(-?)(\d+)$/, (_, sign: string, digits: string) => `e${sign ? '−' : ''}${digits}`);
}

/** The same without trailing zeros. */
export function short(value: number): string {
  return number(value).replace(/\.?0+(?=e|$)/, '');
}

export function vector(values: ArrayLike<number>): string[] {
  return Array.from(values, number);
}

/** Seconds with enough digits to distinguish the steps of a run. */
export function time(seconds: number, step: number): string {
  const digits = step > 0 ? Math.min(9, Math.max(2, Math.ceil(-Math.log10(step)) + 1)) : 3;
  return `${seconds.toFixed(digits)} s`;
}

export function speed(value: number): string {
  return `${value}×`;
}
