import { Marked } from 'marked'
import { type Around, docsSource, escaped, frame } from './frame.ts'

/** A guide in Markdown. Its first line is its title, and its first paragraph is a summary. */
export type Guide = { name: GuideName; markdown: string }

export const guideNames = [
  'quickstart',
  'authentication',
  'jobs',
  'webhooks',
  'batches',
  'watches',
  'formats',
  'errors',
  'credits',
  'limits',
  'agents',
] as const

export type GuideName = (typeof guideNames)[number]

/**
 * Replaces `INCLUDE quickstart/curl.sh`, alone in a code block, by that file, which is a program that can be run
 * unchanged.
 */
const included = (markdown: string): string =>
  markdown.replaceAll(/^INCLUDE (\S+)\n/gm, (_line, file: string) => docsSource(file))

export const guideSources: readonly Guide[] = guideNames.map((name) => ({
  name,
  markdown: included(docsSource(`guides/${name}.md`)),
}))

export const titleOf = ({ markdown }: Guide): string => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

export const summaryOf = ({ markdown }: Guide): string =>
  (/^# .+\n\n([^\n]+(?:\n[^\n]+)*)/.exec(markdown)?.[1] ?? '').replaceAll('\n', ' ')

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const inner = this.parser.parseInline(tokens)
      return depth === 1
        ? `<h1>${inner}</h1>\n`
        : `<h${depth} id="${idOf(text)}"><a href="#${idOf(text)}">${inner}</a></h${depth}>\n`
    },
    // A block of code scrolls by itself. Its tab index makes that possible by keyboard.
    code({ text, lang = '' }) {
      return `<pre tabindex="0"><code class="language-${escaped(lang)}">${escaped(text)}\n</code></pre>\n`
    },
    table({ header, rows }) {
      const cells = (row: typeof header, tag: string): string =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
      const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(header, 'th')}</tr></thead><tbody>\n${body}\n</tbody></table></div>\n`
    },
  },
})

const neighbour = (guide: Guide | undefined, rel: string, text: string): string =>
  guide === undefined ? '<span></span>' : `<a href="${guide.name}" rel="${rel}">${text} ${escaped(titleOf(guide))}</a>`

/** @returns the page of one guide, at /docs/guides/{name} */
export function guidePage(guides: readonly Guide[], name: GuideName, around: Around): string {
  const at = guides.findIndex((guide) => guide.name === name)
  const guide = guides[at] as Guide
  const links = guides.map(
    (each) =>
      `<li><a href="${each.name}"${each === guide ? ' aria-current="page"' : ''}>${escaped(titleOf(each))}</a></li>`,
  )
  const menu = `<ul>\n${links.join('\n')}\n</ul>`
  return frame({
    title: titleOf(guide),
    description: summaryOf(guide),
    up: '../../',
    current: 'guides',
    around,
    body: `<div class="columns">
<nav class="side" aria-label="Guides">${menu}</nav>
<details class="fold"><summary>All guides</summary><nav aria-label="All guides">${menu}</nav></details>
<main id="main" tabindex="-1">
<article>
${marked.parse(guide.markdown)}</article>
<nav class="next" aria-label="Next and previous">${neighbour(guides[at - 1], 'prev', '←')}${neighbour(guides[at + 1], 'next', 'Next:')}</nav>
</main>
</div>`,
  })
}
