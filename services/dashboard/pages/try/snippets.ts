/** A call as code to copy. Each value is quoted for its language. This runs in the browser too. */
import type { Call } from './call.ts'

/** The placeholder for a key. */
const KEY = 'YOUR_KEY'

export const languages = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const

export type Language = (typeof languages)[number][0]

const headersOf = ({ headers, body }: Call): Record<string, string> => ({
  'x-api-key': KEY,
  ...(body && { 'content-type': 'application/json' }),
  ...headers,
})

const urlOf = (base: string, { path, query }: Call): string =>
  base + path + (query.length === 0 ? '' : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`)

/** A shell changes nothing in single quotes. A single quote itself has to close and reopen them. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function curl(base: string, call: Call): string {
  const { path, query, body } = call
  const parts = [
    `curl ${query.length > 0 ? '-G ' : ''}${shell(base + path)}`,
    ...Object.entries(headersOf(call)).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
    ...query.map(([name, value]) => `--data-urlencode ${shell(`${name}=${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shell(JSON.stringify(body))}`]),
  ]
  return parts.join(' \\\n  ')
}

/** How a language writes the values that differ from JSON. */
type Notation = { words: Readonly<Record<string, string>>; name(text: string): string }

/** A JSON value as a literal. JSON's strings are valid in both languages. */
function literal(value: unknown, notation: Notation, indent = ''): string {
  if (value === null || typeof value !== 'object') {
    const text = JSON.stringify(value)
    return notation.words[text] ?? text
  }
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, notation, inner))
    : Object.entries(value).map(([name, one]) => `${notation.name(name)}: ${literal(one, notation, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? `${open}${close}` : `${open}\n${inner}${parts.join(`,\n${inner}`)},\n${indent}${close}`
}

const typescriptNotation: Notation = {
  words: {},
  // As a plain name in a literal, it would set the prototype.
  name: (text) => (text === '__proto__' ? '["__proto__"]' : JSON.stringify(text)),
}
const pythonNotation: Notation = {
  words: { true: 'True', false: 'False', null: 'None' },
  name: (text) => JSON.stringify(text),
}

function typescript(base: string, call: Call): string {
  const { method, body } = call
  const headers = `const headers = ${literal(headersOf(call), typescriptNotation)}`
  const url = JSON.stringify(urlOf(base, call))
  const asked =
    body === undefined
      ? [`const answer = await fetch(${url}, { headers })`]
      : [
          `const body = ${literal(body, typescriptNotation)}`,
          `const answer = await fetch(${url}, {`,
          `  method: ${JSON.stringify(method)},`,
          '  headers,',
          '  body: JSON.stringify(body),',
          '})',
        ]
  return [headers, ...asked, 'console.log(answer.status, await answer.json())'].join('\n')
}

function python(base: string, call: Call): string {
  const { body } = call
  const data = body === undefined ? '' : ', json.dumps(body).encode()'
  return [
    'import json',
    'from urllib.request import Request, urlopen',
    '',
    `headers = ${literal(headersOf(call), pythonNotation)}`,
    ...(body === undefined ? [] : [`body = ${literal(body, pythonNotation)}`]),
    `request = Request(${JSON.stringify(urlOf(base, call))}${data}${body === undefined ? ', headers=headers' : ', headers'})`,
    'with urlopen(request) as answer:',
    '    print(answer.status, json.load(answer))',
  ].join('\n')
}

const writers: Readonly<Record<Language, (base: string, call: Call) => string>> = { curl, typescript, python }

/** @param base the service's address, without a final slash */
export const snippetOf = (language: Language, base: string, call: Call): string => writers[language](base, call)
