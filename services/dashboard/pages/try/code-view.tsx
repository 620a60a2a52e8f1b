/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { CopyBox } from '../../look/parts.tsx'
import { callOf, type FormOperation, withSamples } from './call.ts'
import { languages, snippetOf } from './snippets.ts'

type Parts = { operation: FormOperation; form: URLSearchParams; baseUrl: string }

/** The call of a form as code. If scripts run, it follows the fields. */
export function CodeView({ operation, form, baseUrl }: Parts): VNode {
  const { call } = callOf(operation, withSamples(operation, form))
  const { method, path, fields } = operation
  const sent = fields.map(({ name, where, control, when, sample }) => ({ name, where, control, when, sample }))
  return (
    <section
      class="card"
      aria-labelledby="code-title"
      data-island="snippets"
      data-props={JSON.stringify({ operation: { method, path, fields: sent }, baseUrl })}
    >
      <h2 id="code-title">The same call as code</h2>
      <p class="quiet">
        Replace <code>YOUR_KEY</code> with an API key.
      </p>
      {languages.map(([language, name], at) => (
        <details key={language} class="fold" name="language" open={at === 0} data-language={language}>
          <summary>{name}</summary>
          <div class="tall">
            <CopyBox text={snippetOf(language, baseUrl, call)} />
          </div>
        </details>
      ))}
    </section>
  )
}
