const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The part after the digits in the code of a private post. */
const SECRET = 28

/** The number of a post in decimal. Its code is the number in base 64. */
export function mediaIdOf(code: string): string {
  const digits = code.length > SECRET ? code.slice(0, -SECRET) : code
  return String([...digits].reduce((sum, digit) => sum * 64n + BigInt(DIGITS.indexOf(digit)), 0n))
}
