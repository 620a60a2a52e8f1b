/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { webhookEvents } from '#packages/domain/webhook/webhook.ts'
import { Field, FormProblem, type Problems, Submit } from '../../look/parts.tsx'
import { eventWords } from './words.ts'

/** The fields of the form, as typed. */
export type WebhookFields = { url: string; events: readonly string[]; results: boolean }

export const emptyFields: WebhookFields = { url: '', events: ['job.completed', 'job.failed'], results: false }

export const fieldsOf = (form: URLSearchParams): WebhookFields => ({
  url: (form.get('url') ?? '').trim(),
  events: form.getAll('events'),
  results: form.has('results'),
})

type Parts = { action: string; act: string; fields: WebhookFields; problems: Problems | undefined }

/** The form that creates or changes a webhook. `act`: the label of its button. */
export const WebhookForm = ({ action, act, fields, problems }: Parts): VNode => (
  <form method="post" action={action}>
    <FormProblem problems={problems} />
    <Field
      name="url"
      label="URL"
      type="url"
      value={fields.url}
      hint="Where your server receives messages, such as https://hooks.example.com/video."
      problems={problems}
      required
      maxLength={2048}
      autocomplete="off"
    />
    <fieldset aria-describedby={problems?.events && 'events-problem'}>
      <legend>Events</legend>
      {webhookEvents.map((event) => (
        <label class="choice" key={event}>
          <input type="checkbox" name="events" value={event} checked={fields.events.includes(event)} />
          <span>
            {eventWords[event]} <code class="quiet small">{event}</code>
          </span>
        </label>
      ))}
      {problems?.events && <p class="problem" id="events-problem">{`Events ${problems.events}`}</p>}
    </fieldset>
    <label class="choice">
      <input type="checkbox" name="results" value="on" checked={fields.results} />
      <span>
        Include the result <span class="quiet small">If it fits: a message is limited to 20 kB</span>
      </span>
    </label>
    <Submit>{act}</Submit>
  </form>
)
