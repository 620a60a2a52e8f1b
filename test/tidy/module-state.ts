import { isEntry, isTest, type Rule } from './import-rules.ts'
import type { SourceFile } from './source-file.ts'
import type { Token } from './tokens.ts'

/** Statements of the module itself, which Biome puts at the beginning of a line. */
const variable = /^(?:export )?(?:let|var) .*/gm
const constant = /^(?:export )?const ([\w$]+)/gm

/** Methods that change a collection. */
const changing = new Set(['set', 'add', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice', 'sort'])

/** Operators of assignments: `+=`, `??=`. */
const operators = new Set(['+', '-', '*', '/', '|', '&', '?'])

/** Whether the name at `at` is changed there: `known.set(`, `state.on =`, `counts[id] +=`, `state.count++`. */
function isChanged(tokens: readonly Token[], at: number): boolean {
  const sign = (index: number): string => (tokens[index]?.kind === 'sign' ? (tokens[index]?.text ?? '') : '')
  if (sign(at - 1) === '.') return false
  let end = at + 1
  if (sign(end) === '[') while (end < tokens.length && sign(end) !== ']') end += 1
  else if (sign(end) === '.') end += 1
  else return false
  const [first, second] = [sign(end + 1), sign(end + 2)]
  if (first === '(') return changing.has(tokens[end]?.text ?? '')
  if (first === '=') return second !== '=' && second !== '>'
  if (!operators.has(first)) return false
  if ((first === '+' || first === '-') && first === second) return true
  return second === '=' || (second === first && sign(end + 3) === '=')
}

function changedConstants({ source, tokens }: SourceFile): string[] {
  const names = new Set([...source.matchAll(constant)].map(([, name]) => name))
  const changed = tokens.flatMap(({ kind, text }, at) =>
    kind === 'word' && names.has(text) && isChanged(tokens, at) ? [text] : [],
  )
  return [...new Set(changed)].map((name) => `changes its constant ${name}`)
}

/** The first module of a process or of a thread runs once, and ends with it: it is the owner. */
const isOwner = ({ path, tokens }: SourceFile): boolean =>
  isEntry(path) || tokens.some(({ kind, text }) => kind === 'word' && text === 'parentPort')

/** State of a module has no owner that ends it, is shared by everything in a process, and outlives each test. */
export const moduleStateRule: Rule = {
  name: 'no module keeps state: what changes has an owner',
  check: (file) =>
    isTest(file.path) || isOwner(file)
      ? []
      : [...(file.source.match(variable) ?? []).map((found) => `has ${found}`), ...changedConstants(file)],
}
