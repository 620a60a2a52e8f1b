/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { type Every, everyNames } from '#packages/jobs/watches/every.ts'
import { Field, FormProblem, type Problems, Select, Submit } from '../../look/parts.tsx'
import { sourceHint, sourceIn } from '../source-in.ts'
import { everyWords } from './words.ts'

/** The form as the body of a NewWatchRequest. */
export function watchBodyOf(form: URLSearchParams): Record<string, unknown> {
  const text = (name: string): string => (form.get(name) ?? '').trim()
  const operation = text('operation')
  const asked = { source: sourceIn(text('source')), every: text('every'), backfill: Number(text('backfill') || 0) }
  if (operation === '') return asked
  const options = operation === 'extraction' ? { prompt: text('prompt') } : { mode: text('mode') || 'auto' }
  // biome-ignore lint/suspicious/noThenProperty: the API's name for it; it is never a function
  return { ...asked, then: { operation, options }, maxCreditsPerMonth: Number(text('maxCreditsPerMonth')) }
}

type Parts = { action: string; typed: URLSearchParams; problems: Problems | undefined; plan: readonly Every[] }

const operations = [
  ['', 'Notify me only'],
  ['transcript', 'A transcript'],
  ['extraction', 'An extraction'],
] as const

const modes = [
  ['auto', 'Captions, else speech'],
  ['native', 'Captions only'],
  ['generate', 'Speech only'],
] as const

/** The form for a watch. `plan`: limits how often it may look. */
export const WatchForm = ({ action, typed, problems = {}, plan }: Parts): VNode => (
  <form method="post" action={action}>
    <FormProblem problems={ofNoField(problems)} />
    <Field
      name="source"
      label="Source to watch"
      value={typed.get('source') ?? ''}
      hint={sourceHint}
      problems={ofFields(problems)}
      required
      maxLength={2048}
      autocomplete="off"
    />
    <Select
      name="every"
      label="Check every"
      value={typed.get('every') ?? plan[0] ?? ''}
      options={plan.map((every) => [every, everyWords[every]] as const)}
    />
    <Select name="operation" label="For each new video" value={typed.get('operation') ?? ''} options={operations} />
    <Select name="mode" label="Transcript from" value={typed.get('mode') ?? 'auto'} options={modes} />
    <Field
      name="prompt"
      label="What to extract"
      value={typed.get('prompt') ?? ''}
      hint="For an extraction: what to find in each video."
      problems={ofFields(problems)}
      maxLength={8000}
    />
    <Field
      name="maxCreditsPerMonth"
      label="Maximum credits per month"
      type="number"
      value={typed.get('maxCreditsPerMonth') ?? '100'}
      hint="A transcript costs 1 credit from captions and 5 from speech, an extraction 10."
      problems={ofFields(problems)}
      min={1}
      max={1_000_000}
    />
    <Field
      name="backfill"
      label="Existing videos to process"
      type="number"
      value={typed.get('backfill') ?? '0'}
      hint="Up to 50 of the newest existing videos. 0: only videos published from now on."
      problems={ofFields(problems)}
      min={0}
      max={50}
    />
    <Submit>Start watching</Submit>
  </form>
)

/** The field that shows a problem at this path of the body; undefined: none does. */
const fieldOf = (path: string): string | undefined => {
  if (path.startsWith('source')) return 'source'
  if (path.endsWith('.prompt')) return 'prompt'
  return ['maxCreditsPerMonth', 'backfill'].includes(path) ? path : undefined
}

const ofFields = (problems: Problems): Problems =>
  Object.fromEntries(Object.entries(problems).map(([path, text]) => [fieldOf(path) ?? path, text]))

/** The problems that no field of the form shows. */
function ofNoField(problems: Problems): Problems | undefined {
  const others = Object.entries(problems).filter(([path]) => fieldOf(path) === undefined)
  const words = others.map(([path, text]) => (path === 'every' ? `Check every ${text}` : `${path} ${text}`.trim()))
  return words.length === 0 ? undefined : { '': words.join(' ') }
}

/** The periods of a plan, the shortest first. */
export const periodsFrom = (seconds: number, periods: Readonly<Record<Every, number>>): Every[] =>
  everyNames.filter((name) => periods[name] >= seconds)
