import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path/posix'
import { type Token, tokensOf } from './tokens.ts'

/** The target of an import: a file of the project, a module of Node, an npm package, or one known only at run time. */
export type Import =
  | { kind: 'file'; path: string }
  | { kind: 'node'; name: string }
  | { kind: 'package'; name: string }
  | { kind: 'computed' }

export type SourceFile = {
  /** The path from the project's root, with slashes. */
  path: string
  source: string
  tokens: readonly Token[]
  imports: readonly Import[]
}

/** The module that the text token at `index` names, if there is one. */
const textAt = (tokens: readonly Token[], index: number): string | undefined =>
  tokens[index]?.kind === 'text' ? tokens[index].text : undefined

const isSign = (token: Token | undefined, text: string): boolean => token?.kind === 'sign' && token.text === text

/**
 * The modules that the source names, in any form: static, type-only, for effect, re-exported, dynamic, as a type
 * (`import('x').T`), by `require` or by `import.meta.resolve`. Null stands for a name that is computed at run time.
 */
export function specifiersOf(tokens: readonly Token[]): (string | null)[] {
  return tokens.flatMap(({ kind, text }, at) => {
    if (kind !== 'word' || isSign(tokens[at - 1], '.')) return []
    const next = textAt(tokens, at + 1)
    if ((text === 'from' || text === 'import') && next !== undefined) return [next]
    const resolves = text === 'import' && tokens[at + 2]?.text === 'meta' && tokens[at + 4]?.text === 'resolve'
    const open = resolves ? at + 5 : at + 1
    if ((text !== 'import' && text !== 'require') || !isSign(tokens[open], '(')) return []
    const closed = isSign(tokens[open + 2], ')') || isSign(tokens[open + 2], ',')
    return [closed ? (textAt(tokens, open + 1) ?? null) : null]
  })
}

function resolve(from: string, specifier: string | null): Import {
  if (specifier === null) return { kind: 'computed' }
  if (specifier.startsWith('#')) return { kind: 'file', path: specifier.slice(1) }
  if (specifier.startsWith('.')) return { kind: 'file', path: join(from, '..', specifier) }
  if (isBuiltin(specifier))
    return { kind: 'node', name: specifier.startsWith('node:') ? specifier : `node:${specifier}` }
  return {
    kind: 'package',
    name: specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/'),
  }
}

export function sourceFile(path: string, source: string): SourceFile {
  const tokens = tokensOf(source)
  return { path, source, tokens, imports: specifiersOf(tokens).map((specifier) => resolve(path, specifier)) }
}

/** Every source file of the project that people write. */
export function projectFiles(): SourceFile[] {
  return globSync('{contracts,packages,services,ops,test}/**/*.{ts,tsx,mts,cts,js,mjs,cjs}')
    .filter((path) => !path.startsWith('contracts/generated/') && !path.includes('/dist/'))
    .sort()
    .map((path) => sourceFile(path, readFileSync(path, 'utf8')))
}
