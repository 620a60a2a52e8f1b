/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { LineProblem } from '#packages/jobs/batches/body/parse-body.ts'
import { describedBy, Field, formatNumber, Notes, type Problems, Select } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import { sourceHint } from '../source-in.ts'
import { Check, FieldsView } from '../try/field-view.tsx'
import { manyVideos, type ShownField } from '../try/operations.ts'
import { urlsIn } from './asked-batch.ts'

export type BatchFormParts = {
  typed: URLSearchParams
  problems: Problems
  options: Pick<PageOptions, 'extracts' | 'speech'>
  /** The most items of one batch that the plan allows. */
  mostItems: number
}

/** The fields that show their own problems. */
export const fieldNames: ReadonlySet<string> = new Set([
  ...manyVideos.fields.map(({ name }) => name),
  ...['urls', 'source', 'limit', 'since', 'maxCredits', 'webhookUrl'],
])

/** The fields of a batch. */
export function BatchFields({ typed, problems, options, mostItems }: BatchFormParts): VNode {
  const fields = manyVideos.fields.flatMap((field) => shownOf(field, options))
  return (
    <>
      <FieldsView fields={fields} form={typed} problems={problems} />
      <Videos typed={typed} problems={problems} mostItems={mostItems} />
      <Terms typed={typed} problems={problems} />
    </>
  )
}

/** A field with only the options that this service offers; empty if it offers none. */
function shownOf(field: ShownField, { extracts, speech }: BatchFormParts['options']): ShownField[] {
  if (field.name === 'speakers' && !speech.tellsSpeakers) return []
  if (field.name !== 'job' || extracts) return [field]
  return [{ ...field, options: field.options.filter(([value]) => value !== 'extraction') }]
}

type FieldsParts = Pick<BatchFormParts, 'typed' | 'problems'>

function Videos({ typed, problems, mostItems }: FieldsParts & Pick<BatchFormParts, 'mostItems'>): VNode {
  const hint = `One per line, at most ${formatNumber(mostItems)}. CSV with a column “url” and NDJSON work too.`
  const notes = { name: 'urls', label: 'URLs', hint, problems }
  return (
    <>
      <Select
        name="from"
        label="Videos"
        value={typed.get('from') ?? 'list'}
        options={[
          ['list', 'From a list of URLs'],
          ['source', 'From a channel, playlist, profile or search'],
        ]}
      />
      <div class="field for-list" data-island="dropFile">
        <label for="urls">URLs</label>
        <textarea id="urls" name="urls" class="code" rows={10} spellcheck={false} {...describedBy(notes)}>
          {urlsIn(typed)}
        </textarea>
        <Notes {...notes} />
        <div data-file hidden>
          <label for="file">Or choose a file, or drop it on the list</label>
          <input type="file" id="file" accept=".txt,.csv,.ndjson,.jsonl" />
          <p class="problem" role="alert" />
        </div>
      </div>
      <div class="for-source">
        <Field
          name="source"
          label="Source"
          value={typed.get('source') ?? ''}
          hint={sourceHint}
          problems={problems}
          maxLength={2048}
          autocomplete="off"
        />
        <Field
          name="limit"
          label="Maximum number of videos"
          type="number"
          value={typed.get('limit') ?? '20'}
          problems={problems}
          min={1}
          max={mostItems}
        />
        <Field
          name="since"
          label="Published after"
          type="date"
          value={typed.get('since') ?? ''}
          hint="In UTC. Leave empty for any age."
          problems={problems}
        />
      </div>
    </>
  )
}

const Terms = ({ typed, problems }: FieldsParts): VNode => (
  <>
    <Field
      name="maxCredits"
      label="Maximum credits"
      type="number"
      value={typed.get('maxCredits') ?? ''}
      hint="Leave empty for no limit. Videos beyond the limit are not processed."
      problems={problems}
      min={1}
      max={1_000_000}
    />
    <div class="for-list">
      <Box name="skipInvalid" label="Skip invalid lines" typed={typed} />
    </div>
    <Box name="itemWebhooks" label="Also notify webhooks of each job" typed={typed} />
    <Field
      name="webhookUrl"
      label="Webhook URL"
      type="url"
      value={typed.get('webhookUrl') ?? ''}
      hint="Optional: notified when this batch ends, in addition to your other webhooks."
      problems={problems}
      maxLength={2048}
    />
  </>
)

const Box = ({ name, label, typed }: { name: string; label: string; typed: URLSearchParams }): VNode => (
  <Check id={name} name={name} value="true" label={label} isOn={typed.has(name)} />
)

/** The most invalid lines that are shown. */
const MOST_WRONG_LINES = 100

/** Each line that is not a video, and the button that omits all of them. `form`: the id of the form. */
export function WrongLines({
  lines,
  urls,
  form,
}: {
  lines: readonly LineProblem[]
  urls: string
  form: string
}): VNode {
  const typed = urls.split('\n')
  const more = lines.length - MOST_WRONG_LINES
  return (
    <section class="notice bad" role="alert" aria-label="Lines with problems">
      <p>
        <strong>
          {lines.length === 1
            ? '1 line is not a video URL.'
            : `${formatNumber(lines.length)} lines are not video URLs.`}
        </strong>
      </p>
      <ul class="breaks">
        {lines.slice(0, MOST_WRONG_LINES).map(({ line, message }) => (
          <li key={line}>
            {`Line ${line} `}
            <code>{typed[line - 1]?.slice(0, 200)}</code>
            {`: ${message}`}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p>{`And lines ${lines
          .slice(MOST_WRONG_LINES)
          .map(({ line }) => line)
          .join(', ')}.`}</p>
      )}
      <button type="submit" form={form} name="skipInvalid" value="true">
        {lines.length === 1 ? 'Skip it' : 'Skip them'}
      </button>
    </section>
  )
}
