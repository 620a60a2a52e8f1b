import { invalidRequest } from '#packages/foundation/errors/service-error.ts'

const MIN = 15
const MAX = 200

/** Characters that must remain after removing everything that is easily guessed. */
const MIN_REST = 6
const MIN_DIFFERENT = 5

/** Words that people build passwords from, and common passwords of 15 characters or more. */
const common = [
  ...['correcthorsebatterystaple', 'thequickbrownfox', 'jumpsoverthelazydog', 'maytheforcebewithyou'],
  ...['passphrase', 'password', 'passwort', 'contraseña', 'kennwort', 'motdepasse', 'passw', 'pass', 'secret'],
  ...['administrator', 'admin', 'root', 'welcome', 'willkommen', 'bienvenue', 'letmein', 'changeme', 'default'],
  ...['iloveyou', 'forever', 'princess', 'sunshine', 'football', 'baseball', 'superman', 'batman', 'dragon'],
  ...['monkey', 'shadow', 'master', 'michael', 'jennifer', 'trustno', 'starwars', 'whatever', 'freedom', 'computer'],
  ...['summer', 'winter', 'spring', 'autumn', 'january', 'monday', 'qwerty', 'qwertz', 'azerty', 'login', 'test'],
  ...['videointelligenceservice', 'videointelligence', 'intelligence', 'dashboard', 'transcript', 'video'],
]

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
]
const runs = [...rows, ...rows.map((row) => [...row].reverse().join(''))]

const lookalikes: Readonly<Record<string, string>> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  '!': 'i',
  0: 'o',
  $: 's',
  5: 's',
}

/**
 * @throws ServiceError invalid_request naming `password`: shorter than 15 characters, longer than 200, or easily guessed
 */
export function assertGoodPassword(password: string, { email }: { email: string }): void {
  const normal = password.normalize('NFKC')
  const { length } = [...normal]
  if (length < MIN) throw bad(`must have at least ${MIN} characters; a sentence is a good one`)
  if (length > MAX) throw bad(`must have at most ${MAX} characters`)
  if (isGuessed(normal.toLowerCase(), email.normalize('NFKC').toLowerCase()))
    throw bad('is easily guessed: leave out common words, sequences, repetitions and your address')
}

const bad = (message: string): Error => invalidRequest({ path: 'password', message })

function isGuessed(password: string, email: string): boolean {
  const own = email.split(/[@.+]/).filter((part) => part.length >= 4)
  // The address is removed first, because runs and repetitions may be parts of it.
  const letters = unrepeated(withoutRuns(password.replace(/\s+/g, '').replaceAll(email, '')))
  const plain = letters.replace(/[@4310!$5]/g, (sign) => lookalikes[sign] ?? sign)
  const rest = [letters, plain].map((text) =>
    [...own, ...common].reduce((left, word) => left.replaceAll(word, ''), text),
  )
  return rest.some((left) => left.length < MIN_REST) || new Set(password).size < MIN_DIFFERENT
}

/** Removes four or more neighbours of an alphabet or a keyboard, in either direction. */
function withoutRuns(text: string): string {
  let left = ''
  for (let at = 0; at < text.length; ) {
    const length = runAt(text, at)
    if (length < 4) left += text[at]
    at += length < 4 ? 1 : length
  }
  return left
}

/** The length of the longest run that begins here. */
function runAt(text: string, at: number): number {
  let longest = 0
  for (const row of runs) {
    const begin = row.indexOf(text.charAt(at))
    if (begin < 0) continue
    let length = 1
    while (begin + length < row.length && text[at + length] === row[begin + length]) length += 1
    longest = Math.max(longest, length)
  }
  return longest
}

/** Reduces a text that repeats one part to that part. The last repetition may be cut off. */
function unrepeated(text: string): string {
  for (let period = 1; period <= text.length / 2; period += 1)
    if (text.slice(period) === text.slice(0, -period)) return text.slice(0, period)
  return text
}
