/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { cutTo } from '#packages/content/results/html-weight.ts'

/** A longer prompt or schema is cut on the page, bytes. */
const SHOWN_BYTES = 5000

/** `whole`: the address of the full text, if there is one. */
type Parts = { prompt: string; schema: unknown; whole?: string }

/** The prompt and schema of an extraction. */
export function AskedView({ prompt, schema, whole }: Parts): VNode {
  const json = schema == null ? '' : JSON.stringify(schema, null, 2)
  const shown = [cutTo(prompt, SHOWN_BYTES), cutTo(json, SHOWN_BYTES)]
  const isCut = shown[0] !== prompt || shown[1] !== json
  return (
    <section class="card" aria-labelledby="request">
      <h2 id="request">Request</h2>
      <h3>Prompt</h3>
      <pre>{shown[0]}</pre>
      {json === '' ? (
        <p class="quiet">Without a schema: the answer may be any JSON object.</p>
      ) : (
        <details>
          <summary>Schema</summary>
          <pre>{shown[1]}</pre>
        </details>
      )}
      {isCut && whole !== undefined && (
        <p>
          <a href={whole} download>
            The whole request as JSON
          </a>
        </p>
      )}
    </section>
  )
}
