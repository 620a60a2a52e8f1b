/** A number as a whole number of tenths, hundredths …: `digits` divided by ten to the power of `places`. */
type Decimal = { digits: bigint; places: number }

/** The shortest decimal that reads as this number: the one that its writer meant. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), places: fraction.length - Number(exponent) }
}

/**
 * Whether a number is a whole multiple of a step, in decimal arithmetic. 19.99 is a multiple of 0.01, though its
 * floating-point number is not.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value)) return false
  const [a, b] = [decimalOf(value), decimalOf(step)]
  const places = Math.max(a.places, b.places)
  const scaled = ({ digits, places: own }: Decimal): bigint => digits * 10n ** BigInt(places - own)
  return scaled(a) % scaled(b) === 0n
}
