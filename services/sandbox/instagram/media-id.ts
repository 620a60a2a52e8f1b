const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** What follows the digits of the number in a private post's code. */
const SECRET = 28

/** The number of a post, decimal: its code is the number in 64 digits. */
export function mediaIdOf(code: string): string {
  const digits = code.length > SECRET ? code.slice(0, -SECRET) : code
  return String([...digits].reduce((sum, digit) => sum * 64n + BigInt(DIGITS.indexOf(digit)), 0n))
}
