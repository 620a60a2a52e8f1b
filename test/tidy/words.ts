import type { Rule } from './import-rules.ts'
import type { Token } from './tokens.ts'

/** Words that ops/glossary.md has replaced, with the term to use. */
export const oldWords: Readonly<Record<string, string>> = {
  Remembered: 'TTL cache',
  Visit: 'request context',
  SharedWork: 'single flight',
  Bell: 'notifier',
  Trial: 'fixture or harness',
  Stage: 'fixture or harness',
  Story: 'fixture or harness',
  Exit: 'egress route',
  Exits: 'egress routes',
  LaneRoom: 'admission control',
  JobDesk: 'acceptance',
  Books: 'ledger or balance',
}

/** The words of a name: `shared-work.ts` and `SharedWork` are Shared, Work. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())

/** Whether a name contains the words of another in a row. */
const has = (name: string, word: string): boolean =>
  `-${wordsOf(name).join('-')}-`.includes(`-${wordsOf(word).join('-')}-`)

const declares = new Set(['class', 'const', 'function', 'interface', 'let', 'type'])

/** Names that a file declares and exports. */
function exportedNames(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text }, at) => {
    if (kind !== 'word' || text !== 'export') return []
    const declaration = tokens.slice(at + 1, at + 4).findIndex(({ text }) => declares.has(text))
    const name = declaration < 0 ? undefined : tokens[at + 2 + declaration]
    return name?.kind === 'word' ? [name.text] : []
  })
}

export const wordRule: Rule = {
  name: 'files and exported names use the words of ops/glossary.md',
  check({ path, tokens }) {
    return [path.split('/').at(-1) ?? '', ...exportedNames(tokens)].flatMap((name) =>
      Object.keys(oldWords)
        .filter((word) => has(name, word))
        .map((word) => `is named ${name}: say ${oldWords[word]}`),
    )
  },
}

/** Phrases on pages and in mails that stop a native reader, with what to say instead. */
export const oldPhrases: Readonly<Record<string, string>> = {
  'for good': 'permanently',
  'given back': 'refunded',
  'told of': 'notified of',
  'their sum': 'Change',
  'they add up': 'Balanced',
  'cannot be brought back': 'This cannot be undone',
  'never again': 'only once',
  'not accepted any more': 'refused',
  'make a key': 'Create API key',
  'skip to the page': 'Skip to content',
  'ask whoever': 'Upgrade your plan, or contact the operator',
  'whoever leaves': 'You lose access',
  'will do': 'Allow …',
  'come back': 'are refunded',
  'taken on': 'accepted',
  'asked for': 'requested',
  'any more; ask': 'no longer works',
  'charged?': 'You were not charged',
  'no url of a video': 'not a video URL',
  'nothing is watched': 'No watches yet',
  'nobody ': 'no one, or say who does what',
  somebody: 'someone',
  'whoever runs': 'the operator',
  'is of no use': 'requires …',
  'beside requests': 'cannot be combined with requests',
  anew: 'again',
}

const isShown = (path: string): boolean =>
  (path.startsWith('services/dashboard/') && !/\.(test|harness)\.tsx?$/.test(path)) ||
  path === 'packages/accounts/people/mail-texts.ts'

export const phraseRule: Rule = {
  name: 'pages and mails are written as a product writer would',
  check({ path, source }) {
    if (!isShown(path)) return []
    const words = source
      .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '')
      .replace(/\s+/g, ' ')
      .toLowerCase()
    return Object.entries(oldPhrases).flatMap(([phrase, better]) =>
      words.includes(phrase) ? [`says “${phrase}”: say “${better}”`] : [],
    )
  },
}

/** Phrases in comments that make a reader stop and look for the noun, with what to say instead. */
export const oldCommentPhrases: Readonly<Record<string, string>> = {
  anew: 'again',
  likewise: 'also',
  thereof: 'of it',
  'told of': 'the subject with “learns of” or “is notified of”',
  'is told': 'who calls or notifies whom',
  'are told': 'who calls or notifies whom',
  'undefined where': '“undefined if”',
  'null where': '“null if”',
  'none where': '“none if”',
}

export const commentRule: Rule = {
  name: 'comments do without phrases that make a reader stop',
  check({ source }) {
    const comments = source.match(/(?<=^\s*)\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/ [^\n]*/gm) ?? []
    const words = comments.join('\n').replace(/[\s*/]+/g, ' ')
    return Object.entries(oldCommentPhrases).flatMap(([phrase, better]) =>
      new RegExp(`\\b${phrase}\\b`, 'i').test(words) ? [`has a comment with “${phrase}”: say ${better}`] : [],
    )
  },
}
