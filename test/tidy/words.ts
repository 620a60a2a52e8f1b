import type { Rule } from './import-rules.ts'
import type { Token } from './tokens.ts'

/** Words that ops/glossary.md has replaced, with the term to use. */
export const oldWords: Readonly<Record<string, string>> = {
  Remembered: 'TTL cache',
  Visit: 'request context',
  SharedWork: 'single flight',
  Slots: 'semaphore',
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

/** Old words that other work is still replacing. They are not refused. */
export const notYet: readonly string[] = ['Remembered', 'Visit']

/** The words of a name: `shared-work.ts` and `SharedWork` are Shared, Work. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())

/** Whether a name has the words of another in it, one after the other. */
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

/** @param except old words that are passed over */
export const wordRule = (except: readonly string[]): Rule => ({
  name: 'files and exported names use the words of ops/glossary.md',
  check({ path, tokens }) {
    const refused = Object.keys(oldWords).filter((word) => !except.includes(word))
    return [path.split('/').at(-1) ?? '', ...exportedNames(tokens)].flatMap((name) =>
      refused.filter((word) => has(name, word)).map((word) => `is named ${name}: say ${oldWords[word]}`),
    )
  },
})
