import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { type Around, type Asset, assetOf, docsSource, escaped, frame } from './frame.ts'
import { operations } from './operations.ts'

const JAVASCRIPT = 'text/javascript; charset=utf-8'

const renderer = assetOf('scalar', 'js', readFileSync(join(import.meta.dirname, 'scalar/standalone.js.gz')), JAVASCRIPT)
const starter = assetOf('reference', 'js', Buffer.from(docsSource('reference.js')), JAVASCRIPT)

/** The path of the renderer, the largest file that the ingress serves. */
export const rendererPath = `/docs/${renderer.name}`

/** The files that the reference loads in addition to those of the frame. */
export const referenceAssets: readonly Asset[] = [{ ...renderer, isPacked: true }, starter]

const sectionOf = ({ name, description }: { name: string; description: string }): string => `
<section>
<h2>${escaped(name)}</h2>
<p>${escaped(description)}</p>
<dl class="operations">${operations
  .filter(({ tags }) => tags.includes(name))
  .map(
    ({ method, path, summary }) => `
<dt><code>${method} ${escaped(path)}</code></dt><dd>${escaped(summary)}</dd>`,
  )
  .join('')}
</dl>
</section>`

/** The page at /docs. Its own content is for visitors without scripts; the reference replaces it. */
export const referencePage = (around: Around): string =>
  frame({
    title: 'API reference',
    description: 'Every operation, field and error of the Video Intelligence API.',
    up: '',
    current: 'reference',
    around,
    body: `<div id="main" tabindex="-1">
<main id="plain" class="plain">
<h1>API reference</h1>
<p>The interactive reference needs JavaScript. Without it: <a href="docs/guides/quickstart">the guides</a>,
<a href="openapi.json">openapi.json</a> for tools, <a href="llms.txt">llms.txt</a> and
<a href="llms-full.txt">llms-full.txt</a> for agents, and the list of operations below.</p>
${openapi.tags.map(sectionOf).join('\n')}
</main>
<div id="reference"></div>
</div>
<script src="docs/${renderer.name}"></script>
<script src="docs/${starter.name}"></script>`,
  })
