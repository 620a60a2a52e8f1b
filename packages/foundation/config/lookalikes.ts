import { errorsBetween } from '#packages/content/languages/errors-between.ts'
import { variables } from './config.ts'
import { type Environment, fileVariable } from './given-text.ts'

const ours = Object.values(variables).flatMap(({ variable, isSecret }): string[] =>
  isSecret === true ? [variable, fileVariable(variable)] : [variable],
)
const known = new Set(ours)

/**
 * First words that only this service's variables have. Kafka, OpenTelemetry and many others also have other variables.
 */
const ownWords = /^(?:LLM|SPEECH|WHISPER|POCKETSPHINX|EGRESS|PACE|YTDLP|OIDC)_/

/** A careless spelling of a name: `llmApiKey`. */
const bare = (name: string): string => name.replaceAll(/[^a-z\d]/gi, '').toUpperCase()

const spelled = ours.map((variable) => ({ variable, own: bare(variable) }))

/** The most wrong letters that count as a typo. A short name allows none, because it could be another word. */
const allowed = (name: string): number => (name.length < 6 ? 0 : name.length < 10 ? 1 : 2)

/** The variable that was probably meant. */
function meant(name: string): string | undefined {
  const text = bare(name)
  const near = spelled
    .filter(({ own }) => Math.abs(own.length - text.length) <= 2)
    .map(({ variable, own }) => ({ variable, count: errorsBetween(text, own), most: allowed(own) }))
    .filter(({ count, most }) => count <= most)
  return near.toSorted((a, b) => a.count - b.count)[0]?.variable
}

/**
 * Environment variables that look like ours and are not, such as LLM_API_KY, each as a sentence. Values are not shown.
 * Other variables that OpenTelemetry's SDK reads are left out, and npm's own.
 */
export function lookalikes(environment: Environment = process.env): string[] {
  const names = Object.keys(environment).filter(
    (name) => !known.has(name) && environment[name] !== '' && !name.startsWith('npm_'),
  )
  return names.flatMap((name) => {
    const variable = meant(name)
    if (variable !== undefined) return [`${name} is not read: is ${variable} meant?`]
    return ownWords.test(name) ? [`${name} is not read: no variable has this name (ops/configuration.md)`] : []
  })
}
