import { errorsBetween } from '#packages/languages/errors-between.ts'
import { variables } from './config.ts'
import { type Environment, fileVariable } from './given-text.ts'

const ours = Object.values(variables).flatMap(({ variable, isSecret }): string[] =>
  isSecret === true ? [variable, fileVariable(variable)] : [variable],
)
const known = new Set(ours)

/** First words that only variables of this service have; those of Kafka, OpenTelemetry and many others have others too. */
const ownWords = /^(?:LLM|SPEECH|WHISPER|POCKETSPHINX|EGRESS|PACE|YTDLP|OIDC)_/

/** As somebody may write it who does not look: `llmApiKey`. */
const bare = (name: string): string => name.replaceAll(/[^a-z\d]/gi, '').toUpperCase()

const spelled = ours.map((variable) => ({ variable, own: bare(variable) }))

/** How many wrong letters are taken for a slip of the pen: in a short name none, or it would be another word. */
const allowed = (name: string): number => (name.length < 6 ? 0 : name.length < 10 ? 1 : 2)

/** The variable that is meant, as far as can be told. */
function meant(name: string): string | undefined {
  const text = bare(name)
  const near = spelled
    .filter(({ own }) => Math.abs(own.length - text.length) <= 2)
    .map(({ variable, own }) => ({ variable, count: errorsBetween(text, own), most: allowed(own) }))
    .filter(({ count, most }) => count <= most)
  return near.toSorted((a, b) => a.count - b.count)[0]?.variable
}

/**
 * Variables of the environment that look like ours and are not, such as LLM_API_KY, each as a sentence. No value is shown.
 * What OpenTelemetry's SDK reads besides is its own.
 */
export function lookalikes(environment: Environment = process.env): string[] {
  const names = Object.keys(environment).filter((name) => !known.has(name) && environment[name] !== '')
  return names.flatMap((name) => {
    const variable = meant(name)
    if (variable !== undefined) return [`${name} is not read: is ${variable} meant?`]
    return ownWords.test(name) ? [`${name} is not read: no variable has this name (ops/configuration.md)`] : []
  })
}
